import { describe, expect, it } from '@jest/globals';
import { scanJson } from './json-scan.js';

const scan = (text: string) => scanJson(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe(scanJson.name, () => {
  it('passes ordinary JSON', () => {
    expect(scan('{"jsonrpc":"2.0","id":1,"params":{"text":"a \\"quoted\\" [word] — ☃"}}')).toBeUndefined();
  });

  it('passes depth 64 and refuses depth 65 (A2A-SEC-02)', () => {
    expect(scan(nested(64))).toBeUndefined();
    expect(scan(nested(65))).toBe('too-deep');
    expect(scan(nested(200))).toBe('too-deep');
  });

  it('passes 50,000 structural characters and refuses more', () => {
    expect(scan(`[${','.repeat(49_998)}]`)).toBeUndefined();
    expect(scan(`[${','.repeat(49_999)}]`)).toBe('too-many-tokens');
  });

  it('does not count what stands in strings', () => {
    expect(scan(`{"text":"${'[{,:'.repeat(100_000)}"}`)).toBeUndefined();
    expect(scan(`{"text":"\\\\","b":"${'\\"['.repeat(100)}"}`)).toBeUndefined();
  });

  it('refuses invalid UTF-8 and a byte order mark', () => {
    expect(scanJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toBe('not-utf8');
    expect(scan('\ufeff{}')).toBe('byte-order-mark');
  });

  it('refuses NUL, also escaped, but not an escaped backslash before u0000', () => {
    expect(scan('{"a":"\u0000"}')).toBe('nul-character');
    expect(scan('{"a":"\\u0000"}')).toBe('nul-character');
    expect(scan('{"a":"\\\\\\u0000"}')).toBe('nul-character');
    expect(scan('{"a":"\\\\u0000"}')).toBeUndefined();
  });

  it('finds NUL after other escapes and in later strings', () => {
    expect(scan('{"a":"x\\n\\u00e9","b":"\\u0000"}')).toBe('nul-character');
    expect(scan('{"a":"\\\\","b":"x\\"y\\u0000"}')).toBe('nul-character');
  });

  it.each([
    ['a first half alone', '{"a":"x\\ud83d"}'],
    ['a first half before text', '{"a":"\\ud83dx"}'],
    ['a second half alone', '{"a":"\\ude00"}'],
    ['two first halves', '{"a":"\\uD83D\\uD83D"}'],
    ['the halves the wrong way round', '{"a":"\\ude00\\ud83d"}'],
    ['half of a character in a member name', '{"a":{"\\ud83d":1}}'],
  ])('refuses %s', (_what, text) => {
    expect(scan(text)).toBe('lone-surrogate');
  });

  it('passes whole surrogate pairs, and what only looks like a half', () => {
    expect(scan('{"a":"\\ud83d\\ude00\\uD83D\\uDE00 😀","b":"\\\\ud83d \\ud7ff\\ue000"}')).toBeUndefined();
  });

  it('bounds strings that nothing separates', () => {
    expect(scan('""'.repeat(50_001))).toBe('too-many-tokens');
  });

  it('refuses a member twice in the outermost object, also when escaped, but not deeper', () => {
    expect(scan('{"id":1,"method":"a","id":2}')).toBe('duplicate-member');
    expect(scan('{"id":1,"\\u0069d":2}')).toBe('duplicate-member');
    expect(scan('{"a":"a","b":"a"}')).toBeUndefined();
    expect(scan('{"a":{"b":1,"b":2}}')).toBeUndefined();
  });

  it('survives text that is cut off anywhere', () => {
    const text = '{"a":["b\\"c",{"d":"\\u00e9"}],"e":null}';
    for (let length = 0; length < text.length; length += 1) {
      expect(scan(text.slice(0, length))).toBeUndefined();
    }
  });

  it('reads a 10 MB string quickly', () => {
    const text = Buffer.from(`{"raw":"${'QUJD'.repeat(2_500_000)}"}`);
    const started = performance.now();
    expect(scanJson(text)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(500);
  });
});
