import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { EchoSkill } from './echo.skill.js';

describe(EchoSkill.name, () => {
  it('sends text, data and files back as one artifact', async () => {
    const file = { raw: 'AA==', mediaType: 'application/pdf', filename: 'a.pdf' };
    const [echoed, ...rest] = await runSkill(EchoSkill, { text: 'Hello', data: [{ a: [] }, null], parts: [file] });
    expect(echoed).toMatchObject({ kind: 'artifact', artifactId: 'echo', append: false });
    expect(echoed?.parts).toEqual([{ text: 'Hello' }, { data: { a: [] } }, { data: null }, file]);
    expect(rest).toEqual([]);
  });
});
