import { describe, expect, it } from '@jest/globals';
import { rangeOf } from './windowed.js';

const ROWS = 10_000;

describe(rangeOf, () => {
  it.each([
    ['at the top', 200, 0],
    ['in the middle', -205_000, 4_996],
    ['beyond the end', -10_000_000, 9_972],
  ])('has few rows in the document, and the height of all of them, %s', (_name, top, first) => {
    const range = rangeOf(ROWS, { top, height: 41, seen: 800 });
    expect(range.first).toBe(first);
    expect(range.end - range.first).toBe(28);
    expect(range.above + range.below + (range.end - range.first) * 41).toBe(ROWS * 41);
  });
});
