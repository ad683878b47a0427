import { describe, expect, it } from '@jest/globals';
import { readText } from '../sentence.js';
import { reviewOf } from './review.js';

const TEXT =
  'The harbour of Dover was rebuilt in 1909 by the Admiralty. It cost four million pounds and took eleven years. ' +
  'Ferries have used the harbour since 1953, and most of them carry lorries today. Many ferries are Danish.';

async function judge(summary: string, rules = { maxWords: 30, minCoverage: 0.3 }) {
  const { signal } = new AbortController();
  return reviewOf(await readText(TEXT, signal), await readText(summary, signal), rules);
}

describe(reviewOf.name, () => {
  it('accepts a summary that breaks no rule', async () => {
    const said = await judge('The harbour of Dover was rebuilt in 1909 by the Admiralty. Many ferries are Danish.');
    expect(said).toMatchObject({ passed: true, faults: [] });
  });

  it('finds a sentence that refers to one that is missing', async () => {
    const dangling = 'It cost four million pounds and took eleven years.';
    expect((await judge(dangling, { maxWords: 30, minCoverage: 0 })).faults).toEqual([
      { rule: 'reference', text: 'It refers to a sentence that is not in the summary.', sentence: dangling },
    ]);
    const whole = `The harbour of Dover was rebuilt in 1909 by the Admiralty. ${dangling}`;
    expect((await judge(whole, { maxWords: 30, minCoverage: 0 })).passed).toBe(true);
  });

  it('counts words and key terms', async () => {
    const { faults } = await judge('Many ferries are Danish. Many ferries are Danish.', {
      maxWords: 5,
      minCoverage: 0.9,
    });
    expect(faults.map(({ rule }) => rule)).toEqual(['length', 'coverage']);
  });
});
