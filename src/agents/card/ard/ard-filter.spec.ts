import { describe, expect, it } from '@jest/globals';
import { readFilter, readFilterText } from './ard-filter.js';
import { isIdentifier, publisherIn } from './identifier.js';
import { plainText } from './listing.js';

const TERMS = ['tags', 'publisher'] as const;

describe(readFilter, () => {
  it('accepts one or more values for each known term', () => {
    const filter = readFilter({ tags: ['a', 'b'], publisher: 'acme.com' }, TERMS);
    expect(filter).toEqual(
      new Map([
        ['tags', ['a', 'b']],
        ['publisher', ['acme.com']],
      ]),
    );
  });

  it.each([
    [{ color: 'red' }, 'unknown term color; known are tags, publisher'],
    [{ tags: [] }, 'tags must be'],
    [{ tags: [1] }, 'tags must be'],
    [{ tags: Array.from({ length: 51 }, () => 'x') }, 'tags must be'],
    [Object.fromEntries(Array.from({ length: 17 }, (_unused, at) => [`t${String(at)}`, 'x'])), 'more than 16 terms'],
  ])('says what is wrong', (value, why) => {
    expect(readFilter(value, TERMS)).toContain(why);
  });
});

describe(readFilterText, () => {
  it('accepts terms joined by AND', () => {
    const filter = readFilterText(`tags = 'it''s' AND publisher = "acme.com"`.replace("''", ''), TERMS);
    expect(filter).toEqual(
      new Map([
        ['tags', ['its']],
        ['publisher', ['acme.com']],
      ]),
    );
  });

  it.each([
    ["tags > 'a'", 'cannot be read'],
    ["color = 'a'", 'unknown term'],
    ["tags = 'a' AND tags = 'b'", 'has tags twice'],
    ['', 'cannot be read'],
  ])('says what is wrong with %s', (text, why) => {
    expect(readFilterText(text, TERMS)).toContain(why);
  });
});

describe(isIdentifier, () => {
  it.each([
    ['urn:air:acme.com:agent:assistant', true],
    ['urn:air:acme.com:weather-server', true],
    ['not-a-valid-ard-urn', false],
    ['urn:air:acme.com', false],
    ['urn:air:acme.com:agent:a b', false],
    [`urn:air:acme.com:agent:${'a'.repeat(300)}`, false],
  ])('%s: %s', (text, isIt) => {
    expect(isIdentifier(text)).toBe(isIt);
  });

  it('has its publisher in lower case', () => {
    expect(publisherIn('urn:air:Acme.COM:agent:x')).toBe('acme.com');
  });
});

describe(plainText, () => {
  it('drops characters that hide or reorder text, and truncates it', () => {
    expect(plainText('a\u202eb\u0000c\u200bd\n', 100)).toBe('a b c d');
    expect(plainText('x'.repeat(10), 3)).toBe('xxx');
  });
});
