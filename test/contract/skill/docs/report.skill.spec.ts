import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { ReportSkill } from './report.skill.js';

describe(ReportSkill.name, () => {
  it('reports what the tool has read', async () => {
    const tools = { 'files/read_text_file': { text: 'three lines' } };
    expect(await runSkill(new ReportSkill(), { text: 'a.txt', tools })).toMatchObject([
      { parts: [{ text: 'three lines' }] },
    ]);
  });

  it('names the reason when the tool fails', async () => {
    const tools = { 'files/read_text_file': { isError: true, text: 'no such file' } };
    expect(await runSkill(new ReportSkill(), { text: 'a.txt', tools })).toMatchObject([
      { parts: [{ text: 'Cannot be read: no such file' }] },
    ]);
  });
});
