/**
 * Characters that change how text around them is shown, or that are invisible: controls, directional marks and overrides,
 * zero-width, tag and filling characters, selectors of variants. An agent could make a sum or an address resemble another one with them.
 */
/* eslint-disable no-control-regex, no-misleading-character-class -- those are the characters to find */
const UNSEEN =
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}])/u;
/* eslint-enable no-control-regex, no-misleading-character-class */

/** Text that cannot change how anything around it is shown. */
export const PLAIN = /^[\x20-\x7e]*$/;

/** A joiner between two emoji makes one picture of them. */
const JOINED_EMOJI = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})/gu;
/** Scripts that write joiners and non-joiners between letters (UAX 31, 2.3): between Latin letters they could only hide. */
const SCRIPTS =
  'Arab Syrc Mong Nkoo Mand Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java'.split(
    ' ',
  );
const LETTER = `[${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`;
/** One selector of a variant behind a character that has variants. */
const VARIANT =
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=[\p{Script=Han}\p{Sm}])[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mong})[\u180b-\u180f]/gu;
/** The flag of a part of a country: a black flag, its letters as tags, and their end. */
const FLAG_TAGS =
  /(?<=🏴[\u{e0030}-\u{e007a}]{0,6})[\u{e0030}-\u{e007a}](?=[\u{e0030}-\u{e007a}]{0,6}\u{e007f})|(?<=🏴[\u{e0030}-\u{e007a}]{2,6})\u{e007f}/gu;
const JOINED_LETTERS = new RegExp(`(?<=${LETTER}\\p{M}*)[\\u200c\\u200d](?=${LETTER})`, 'gu');

/** Texts and, at odd positions, characters between them that are to be shown by their numbers. */
export function splitUnseen(text: string): readonly string[] {
  const allowed = new Set(
    [JOINED_EMOJI, JOINED_LETTERS, VARIANT, FLAG_TAGS].flatMap((shape) =>
      [...text.matchAll(shape)].map(({ index }) => index),
    ),
  );
  const parts = [''];
  let at = 0;
  for (const [index, part] of text.split(UNSEEN).entries()) {
    const isText = index % 2 === 0 || allowed.has(at);
    // Every other part is a text: two that follow each other are one.
    if (isText && parts.length % 2 === 1) parts.push((parts.pop() ?? '') + part);
    else if (isText) parts.push(part);
    else if (parts.length % 2 === 0) parts.push('', part);
    else parts.push(part);
    at += part.length;
  }
  return parts;
}

/** The number of a character that cannot be seen: `U+202E`. */
export function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text with nothing hidden in it, for targets that can hold no element: an attribute, an option of a list. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return splitUnseen(text)
    .map((part, at) => (at % 2 === 0 ? part : numberOf(part)))
    .join('');
}
