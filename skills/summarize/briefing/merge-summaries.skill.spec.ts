import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { MergeSummariesSkill } from './merge-summaries.skill.js';

/** So many sentences that have nothing in common but their form. */
function sentences(count: number, word: (at: number) => string): string {
  return Array.from(
    { length: count },
    (_unused, at) => `Visitors praised ${word(at)} near ${word(at + 7)} harbours.`,
  ).join(' ');
}

/** Processor time of a merge, ms. */
async function costOf(summary: string): Promise<number> {
  const before = process.cpuUsage();
  await runSkill(MergeSummariesSkill, { data: [{ parts: [{ name: 'a', summary }] }] });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe(MergeSummariesSkill.name, () => {
  it.each([
    ['of different words', (at: number) => `w${at.toString(36)}x`],
    ['of the same words', (at: number) => `word${String(at % 40)}`],
  ])(
    'takes a time that follows the number of sentences, not its square: sentences %s (A8, I12)',
    async (_what, word) => {
      await costOf(sentences(100, word));
      const [few, many] = [await costOf(sentences(400, word)), await costOf(sentences(3_200, word))];
      // Eight times as many: 64 times the time where each is compared with each.
      expect(many / few).toBeLessThan(24);
    },
  );

  it('refuses a summary that is longer than any text that is summarized (A8)', async () => {
    const parts = [{ name: 'a', summary: 'x'.repeat(200_001) }];
    await expect(runSkill(MergeSummariesSkill, { data: [{ parts }] })).rejects.toMatchObject({
      violations: [{ field: 'message.parts[0].data.parts[0].summary' }],
    });
  });

  it('finds a sentence that says the same in other summaries, whatever is between them', async () => {
    const same = 'The council approved the harbour bridge on Monday.';
    const parts = [
      { name: 'a', summary: same },
      { name: 'b', summary: sentences(200, (at) => `w${at.toString(36)}x`) },
      { name: 'c', summary: 'On Monday the council approved the harbour bridge.' },
    ];
    const [events] = [await runSkill(MergeSummariesSkill, { data: [{ parts }] })];
    expect(JSON.stringify(events)).toContain(JSON.stringify({ text: same, sources: [1, 3] }));
  });
});
