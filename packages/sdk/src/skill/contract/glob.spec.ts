import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyOf, isPattern, nameTest } from './glob.js';

describe(nameTest.name, () => {
  it.each([
    ['payment.card_*', 'payment.card_number', true],
    ['payment.card_*', 'payment.amount', false],
    ['payment.card_*', 'x.payment.card_number', false],
    ['*', '', true],
    ['summary.*', 'summary.length', true],
    ['summary.*', 'summary', false],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['exact', 'exact', true],
    ['exact', 'exactly', false],
    ['a.c', 'abc', false],
  ])('%s fits %s: %s', (pattern, name, fits) => {
    expect(nameTest(pattern)(name)).toBe(fits);
  });

  it('agrees with a regular expression on random patterns', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_', '*'), maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, (pattern, text) => {
        const name = text.replaceAll('*', 'c');
        const expression = new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', '.*')}$`, 's');
        expect(nameTest(pattern)(name)).toBe(expression.test(name));
      }),
    );
  });

  it('takes any of several patterns, and bounds a pattern', () => {
    expect(['a.1', 'b', 'c'].filter(anyOf(['a.*', 'b']))).toEqual(['a.1', 'b']);
    expect(['', 'x'.repeat(300), '*'.repeat(20), 'a*'].map(isPattern)).toEqual([false, false, false, true]);
  });
});
