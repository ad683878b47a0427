import { describe, expect, it } from '@jest/globals';
import { printable, printableJson, printableLine } from './printable.js';

/** The characters themselves stand in no source. */
const OBEYED = [0x00, 0x07, 0x08, 0x1b, 0x7f, 0x85, 0x9b, 0x061c, 0x200e, 0x2028, 0x202e, 0x2066, 0x2069].map((code) =>
  String.fromCharCode(code),
);

describe(printable, () => {
  it.each(OBEYED)('shows character %j as replaced', (one) => {
    expect(printable(`a${one}b`)).toBe('a\ufffdb');
  });

  it('keeps line ends and tabs, and no carriage return that would overwrite a line', () => {
    expect(printable('a\tb\r\nc\nd')).toBe('a\tb\r\nc\nd');
    expect(printable('State: ok\rState: no')).toBe('State: ok\ufffdState: no');
  });

  it('reads a megabyte of spaces or controls once', () => {
    for (const one of [' ', '\r', '\u001b'])
      expect(printableLine(one.repeat(1_000_000)).length).toBeLessThan(1_000_001);
  });
});

describe(printableLine, () => {
  it('makes one line of several', () => {
    expect(printableLine('a\r\nTask: b\nc')).toBe('a Task: b c');
  });
});

describe(printableJson, () => {
  it('escapes the control characters of a terminal and keeps the meaning', () => {
    const value = { [OBEYED.join('')]: OBEYED };
    const text = printableJson(value, 2);
    expect(printable(text)).toBe(text);
    expect(JSON.parse(text)).toEqual(value);
  });
});
