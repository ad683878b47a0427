import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesAsJson, wellFormedJson } from './json.js';

describe(wellFormedJson, () => {
  it.each([
    ['half of a pair', 'a\ud83db', '"a\ufffdb"'],
    ['the other half', 'a\ude00b', '"a\ufffdb"'],
    ['halves in the wrong order', '\ude00\ud83d', '"\ufffd\ufffd"'],
    ['half a pair in a name', { 'a\ud83d': 1 }, '{"a\ufffd":1}'],
    ['half a pair behind a backslash', '\\\ud83d', '"\\\\\ufffd"'],
  ])('replaces %s', (_what, value, text) => {
    expect(wellFormedJson(value)).toBe(text);
  });

  it.each([
    ['a whole pair', 'a😀b'],
    ['text that only resembles an escape', 'a\\ud83db'],
    ['text that resembles one behind backslashes', '\\\\\\ud83d \\'],
    ['other escapes', '\u0000\n"\\u0041'],
  ])('keeps %s', (_what, value) => {
    expect(JSON.parse(wellFormedJson(value))).toBe(value);
  });

  it('gives JSON that UTF-8 carries without a change, whatever the text', () => {
    const anyText = fc
      .array(fc.constantFrom('\ud83d', '\ude00', '\\', '"', 'u', 'd83d', 'a', '\u0000'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.record({ text: anyText, [`x`]: fc.dictionary(anyText, anyText) }), (value) => {
        const text = wellFormedJson(value);
        expect(Buffer.from(text).toString()).toBe(text);
        const read = JSON.parse(text) as { readonly text: string };
        expect(read.text).toBe(Buffer.from(value.text).toString());
      }),
    );
  });
});

describe(bytesAsJson, () => {
  it.each([
    ['a text of ASCII', { text: 'x'.repeat(10_000) }],
    ['a text of two bytes a character', { text: 'ä'.repeat(10_000) }],
    ['a text of emoji', { text: '😀'.repeat(10_000) }],
    ['many small members', { data: Array.from({ length: 1_000 }, (_unused, at) => ({ number: at, name: 'line' })) }],
    ['numbers', { data: Array.from({ length: 1_000 }, (_unused, at) => at * 1_000) }],
  ])('is near the JSON size of %s', (_what, value) => {
    const written = Buffer.byteLength(JSON.stringify(value));
    expect(Math.abs(bytesAsJson(value) / written - 1)).toBeLessThan(0.25);
  });
});
