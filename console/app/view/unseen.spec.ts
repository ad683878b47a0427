import { describe, expect, it } from '@jest/globals';
import { splitUnseen, visible } from './unseen.js';

const MARKED = [
  ['a direction that is turned around', 'safe\u202egnp.exe', 'safeU+202Egnp.exe'],
  ['a space without width', 'pay 1\u200b00', 'pay 1U+200B00'],
  ['a joiner between Latin letters', 'pay\u200dpal', 'payU+200Dpal'],
  ['a non-joiner between Cyrillic letters', 'ба\u200cнк', 'баU+200Cнк'],
  ['a joiner at the end', 'می\u200c', 'میU+200C'],
  ['a joiner between an emoji and a letter', '👩\u200da', '👩U+200Da'],
  ['two joiners in a row', '👩\u200d\u200d👧', '👩U+200DU+200D👧'],
  ['isolates', '\u2066a\u2069', 'U+2066aU+2069'],
  ['a tag that no flag has', 'a\u{e0041}', 'aU+E0041'],
  ['a byte order mark', '\ufeffhidden', 'U+FEFFhidden'],
  ['an escape of a terminal', '\u001b[31m', 'U+001B[31m'],
  ['a filler of Hangul', 'a\u3164b', 'aU+3164b'],
  ['a selector behind a digit', 'pay 1\ufe0f00', 'pay 1U+FE0F00'],
  ['words as selectors of variants', 'ok\ufe01\u{e0141}', 'okU+FE01U+E0141'],
  ['a second selector', '❤\ufe0f\ufe0f', '❤\ufe0fU+FE0F'],
  ['a message in the tags of a flag', '🏴\u{e0068}\u{e0069}', '🏴U+E0068U+E0069'],
  ['a joiner of graphemes', 'a\u034fb', 'aU+034Fb'],
  ['an empty pattern of Braille', 'a\u2800b', 'aU+2800b'],
  ['an invisible separator', 'a\u2063b', 'aU+2063b'],
] as const;

const LEFT = [
  ['a family', '👩\u200d👩\u200d👧'],
  ['a flag of two pictures', '🏳\ufe0f\u200d🌈'],
  ['a hand with a tone of skin', '👩🏽\u200d🔬'],
  ['a heart with its variant', '❤\ufe0f\u200d🔥'],
  ['the flag of a country part', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['a key', '1\ufe0f\u20e3'],
  ['a variant of a Chinese character', '葛\u{e0100}'],
  ['Persian', 'می\u200cخواهم'],
  ['Persian with a mark before the joiner', 'مِ\u200cی'],
  ['Hindi', 'क्\u200dष'],
  ['Sinhala', 'ශ්\u200dරී'],
  ['Malayalam', 'ന്\u200dറ'],
  ['Bengali', 'ক্\u200dষ'],
  ['Arabic and Hebrew', 'مرحبا שלום'],
  ['Chinese, Japanese and Korean', '漢字かなカナ한글'],
  ['lines and tabs', 'a\nb\tc'],
  ['stacked marks', 'a\u0300\u0301\u0302'],
] as const;

describe(visible, () => {
  it.each(MARKED)('shows %s by its number (C-5)', (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each(LEFT)('leaves %s as it is (C-5)', (_what, text) => {
    expect(visible(text)).toBe(text);
  });
});

describe(splitUnseen, () => {
  it('has texts at even positions and marks at odd ones, in any order', () => {
    for (const text of ['\u202e', '\u202e\u202e', 'a\u202e\u202eb', '👩\u200d👧\u202e', '\u200b👩\u200d👧', '']) {
      const parts = splitUnseen(text);
      expect(parts.join('')).toBe(text);
      for (const [at, part] of parts.entries()) expect(visible(part) === part).toBe(at % 2 === 0);
    }
  });
});
