import { describe, expect, it } from '@jest/globals';
import { Slices } from '@parley/sdk';
import { chooseDiverse, summarySize } from './summary.js';
import { similarity, tfIdf } from './vector.js';

const terms = (...words: readonly string[]): ReadonlyMap<string, number> => new Map(words.map((word) => [word, 1]));

const slices = new Slices(new AbortController().signal);

describe(chooseDiverse.name, () => {
  it('takes the worthiest first, and then something new before a repetition', async () => {
    const vectors = await tfIdf([terms('cable', 'ship'), terms('cable', 'ship'), terms('price', 'cotton')], slices);
    expect(await chooseDiverse([1, 0.9, 0.7], vectors, { size: 2, slices })).toEqual([0, 2]);
  });

  it('takes no more than there is', async () => {
    expect(await chooseDiverse([1], await tfIdf([terms('a')], slices), { size: 5, slices })).toEqual([0]);
  });
});

describe(similarity.name, () => {
  it('is 1 for the same words, 0 for others, and for no words at all', async () => {
    const [one, same, other, none] = await tfIdf([terms('a', 'b'), terms('a', 'b'), terms('c'), terms()], slices);
    const empty = new Map<string, number>();
    expect(similarity(one ?? empty, same ?? empty)).toBeCloseTo(1);
    expect(similarity(one ?? empty, other ?? empty)).toBe(0);
    expect(similarity(one ?? empty, none ?? empty)).toBe(0);
  });
});

describe(summarySize.name, () => {
  it.each([
    [3, 'short', 1],
    [84, 'short', 3],
    [84, 'medium', 7],
    [20, 'long', 5],
    [1000, 'long', 15],
    [2, 'long', 2],
  ] as const)('%d sentences, %s: %d', (sentences, length, size) => {
    expect(summarySize(sentences, length)).toBe(size);
  });
});
