import { describe, expect, it } from '@jest/globals';
import { scanJson } from './json-scan.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe(scanJson.name, () => {
  it('passes ordinary JSON', () => {
    expect(scanJson('{"jsonrpc":"2.0","id":1,"params":{"text":"a \\"quoted\\" [word] — ☃"}}')).toEqual(
      expect.any(Number),
    );
  });

  it('passes depth 64 and refuses depth 65 (A2A-SEC-02)', () => {
    expect(scanJson(nested(64))).toEqual(expect.any(Number));
    expect(scanJson(nested(65))).toBe('too-deep');
    expect(scanJson(nested(200))).toBe('too-deep');
  });

  it('passes 50,000 structural characters and refuses more', () => {
    expect(scanJson(`[${','.repeat(49_998)}]`)).toEqual(expect.any(Number));
    expect(scanJson(`[${','.repeat(49_999)}]`)).toBe('too-many-tokens');
  });

  it('does not count brackets in strings', () => {
    expect(scanJson(`{"text":"${'[{,:'.repeat(100_000)}"}`)).toEqual(expect.any(Number));
    expect(scanJson(`{"text":"\\\\","b":"${'\\"['.repeat(100)}"}`)).toEqual(expect.any(Number));
  });

  it('refuses NUL, also escaped, but not an escaped backslash before u0000', () => {
    expect(scanJson('{"a":"\u0000"}')).toBe('nul-character');
    expect(scanJson('{"a":"\\u0000"}')).toBe('nul-character');
    expect(scanJson('{"a":"\\\\\\u0000"}')).toBe('nul-character');
    expect(scanJson('{"a":"\\\\u0000"}')).toEqual(expect.any(Number));
  });

  it('finds NUL after other escapes and in later strings', () => {
    expect(scanJson('{"a":"x\\n\\u00e9","b":"\\u0000"}')).toBe('nul-character');
    expect(scanJson('{"a":"\\\\","b":"x\\"y\\u0000"}')).toBe('nul-character');
  });

  it.each([
    ['a first half alone', '{"a":"x\\ud83d"}'],
    ['a first half before text', '{"a":"\\ud83dx"}'],
    ['a second half alone', '{"a":"\\ude00"}'],
    ['two first halves', '{"a":"\\uD83D\\uD83D"}'],
    ['the halves the wrong way round', '{"a":"\\ude00\\ud83d"}'],
    ['half of a character in a member name', '{"a":{"\\ud83d":1}}'],
  ])('refuses %s', (_what, text) => {
    expect(scanJson(text)).toBe('lone-surrogate');
  });

  it('passes whole surrogate pairs, and text that only resembles a half', () => {
    expect(scanJson('{"a":"\\ud83d\\ude00\\uD83D\\uDE00 😀","b":"\\\\ud83d \\ud7ff\\ue000"}')).toEqual(
      expect.any(Number),
    );
  });

  it('bounds strings that nothing separates', () => {
    expect(scanJson('""'.repeat(50_001))).toBe('too-many-tokens');
  });

  it('counts the members of the outermost object as they are written', () => {
    expect(scanJson('{"id":1,"\\u0069d":2,"a":{"b":1,"c":":"}}')).toBe(3);
    expect(scanJson('[{"a":1}]')).toBe(0);
    expect(scanJson('{}')).toBe(0);
  });

  it('survives text that is cut off anywhere', () => {
    const text = '{"a":["b\\"c",{"d":"\\u00e9"}],"e":null}';
    for (let length = 0; length < text.length; length += 1) {
      expect(scanJson(text.slice(0, length))).toEqual(expect.any(Number));
    }
  });

  it('reads a 10 MB string quickly', () => {
    const text = Buffer.from(`{"raw":"${'QUJD'.repeat(2_500_000)}"}`).toString();
    const before = process.cpuUsage();
    expect(scanJson(text)).toEqual(expect.any(Number));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });
});
