import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indented } from './indented.js';

describe(indented, () => {
  it('changes no value: its output parses to the same value as its input', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(indented(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps numbers and doubled names as they were written, which a parser would change', () => {
    expect(indented('{"n":12345678901234567890,"n":1.0}')).toBe('{\n  "n": 12345678901234567890,\n  "n": 1.0\n}');
  });

  it('takes text that is no JSON, of any length', () => {
    for (const text of ['"', '{"a', ']]]}', '\\', '{"a":"\\']) expect(indented(text).length).toBeLessThan(40);
  });
});
