import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runFlow } from '@parley/sdk/testing';
import { SummarizeTextSkill } from '../summarize-text.skill.js';
import { BriefingAgent } from './briefing.agent.js';
import { MergeSummariesSkill } from './merge-summaries.skill.js';
import { ReadSourceSkill } from './read-source.skill.js';

const essay = readFileSync(new URL('../../../scripts/demo/text.txt', import.meta.url), 'utf8');
const first = essay.slice(0, essay.length / 2);
const second = essay.slice(first.length);

const pages = {
  fetch: (url: string) =>
    url.endsWith('.txt')
      ? Promise.resolve({ bytes: Buffer.from(second), mediaType: 'text/plain; charset=utf-8' })
      : Promise.reject(new Error('getaddrinfo ENOTFOUND')),
};
const children = {
  read_source: new ReadSourceSkill(pages),
  summarize_text: SummarizeTextSkill,
  merge_summaries: MergeSummariesSkill,
};

describe(BriefingAgent.name, () => {
  it('reads texts, files and addresses, cites them, and names those that failed (O-27, O-33)', async () => {
    const sent = {
      text: first,
      data: [{ sources: ['https://example.com/second.txt', 'https://example.com/gone'] }],
      parts: [
        { raw: Buffer.from(first).toString('base64'), filename: 'again.md', mediaType: 'text/markdown' },
        { raw: Buffer.from('%PDF').toString('base64'), filename: 'scan.pdf', mediaType: 'application/pdf' },
      ],
    };
    const { state, output, artifacts, text } = await runFlow(BriefingAgent, { ...sent, children });
    expect(state).toBe('completed');
    expect(text).toBe('3 of 5 sources are read');
    const [markdown] = artifacts[0]?.parts ?? [];
    expect(markdown).toMatchObject({ mediaType: 'text/markdown', text: expect.stringContaining('## Not read') });
    expect(output).toMatchObject({
      names: ['Text 1', 'again.md', 'https://example.com/second.txt'],
      failed: [
        { name: 'scan.pdf', reason: expect.stringContaining('application/pdf cannot be read') },
        { name: 'https://example.com/gone', reason: expect.stringContaining('could not be fetched') },
      ],
    });
    const { points, dropped } = output as { points: readonly { sources: readonly number[] }[]; dropped: number };
    expect(dropped).toBeGreaterThan(0);
    expect(points.filter(({ sources }) => sources.includes(1)).every(({ sources }) => sources.includes(2))).toBe(true);
  });

  it('takes short texts as they are (S6)', async () => {
    const texts = ['Dogs bark loudly. Cats sleep all day.', '橋は月曜日に閉鎖されました。'];
    const { state, output } = await runFlow(BriefingAgent, { data: [{ texts }], children });
    expect(state).toBe('completed');
    expect(output).toMatchObject({
      points: ['Dogs bark loudly.', 'Cats sleep all day.', '橋は月曜日に閉鎖されました。'].map((text) => ({ text })),
    });
  });

  it('says why when nothing can be read', async () => {
    expect(await runFlow(BriefingAgent, { children })).toMatchObject({ state: 'rejected' });
    const none = await runFlow(BriefingAgent, { data: [{ sources: ['https://example.com/gone'] }], children });
    expect(none).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('https://example.com/gone could not be'),
    });
  });

  it('gives the same bytes in three runs, with and without crashes (F18, O-81)', async () => {
    const data = [{ texts: [first, second] }];
    const runs = await Promise.all(
      [undefined, 'each' as const, 2].map((crashAfter) =>
        runFlow(BriefingAgent, { data, children, ...(crashAfter === undefined ? {} : { crashAfter }) }),
      ),
    );
    expect(new Set(runs.map(({ events }) => JSON.stringify(events))).size).toBe(1);
  });
});
