import type { JSX } from 'preact';
import { indented } from '../indented.js';

/**
 * Characters that change how text around them is shown, or that nobody sees: controls, directional marks and overrides,
 * zero-width and tag characters. An agent could make a sum or an address look like another one with them.
 */
/* eslint-disable no-control-regex -- those are what is looked for */
const UNSEEN =
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}])/u;
/* eslint-enable no-control-regex */

/** Text that cannot change how anything around it is shown. */
const PLAIN = /^[\x20-\x7e]*$/;

/** A joiner between two emoji makes one picture of them. */
const JOINED_EMOJI = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})/gu;
/** Scripts that write joiners and non-joiners between letters (UAX 31, 2.3): between Latin letters they could only hide. */
const SCRIPTS = [
  ...['Arab', 'Syrc', 'Mong', 'Nkoo', 'Mand', 'Phag', 'Adlm', 'Rohg'],
  ...[
    'Deva',
    'Beng',
    'Guru',
    'Gujr',
    'Orya',
    'Taml',
    'Telu',
    'Knda',
    'Mlym',
    'Sinh',
    'Khmr',
    'Mymr',
    'Tibt',
    'Bali',
    'Java',
  ],
];
const LETTER = `[${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`;
const JOINED_LETTERS = new RegExp(`(?<=${LETTER}\\p{M}*)[\\u200c\\u200d](?=${LETTER})`, 'gu');

/** Texts and, at odd places, characters between them that are shown by their numbers. */
function splitUnseen(text: string): readonly string[] {
  const allowed = new Set(
    [JOINED_EMOJI, JOINED_LETTERS].flatMap((shape) => [...text.matchAll(shape)].map(({ index }) => index)),
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

/** Text of a caller or an agent: always text, and what it hides is shown. */
export function Foreign({ text }: { readonly text: string }): JSX.Element {
  if (PLAIN.test(text)) return <>{text}</>;
  const parts = splitUnseen(text);
  return (
    <bdi>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span key={at} class="marked" title="A character that cannot be seen">
            {`U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`}
          </span>
        ),
      )}
    </bdi>
  );
}

/** JSON of a caller, indented. Numbers beyond what browsers hold stay as they were written, since the text is not parsed. */
export function JsonText({ text }: { readonly text: string }): JSX.Element {
  return (
    <pre class="code" tabIndex={0}>
      <Foreign text={indented(text)} />
    </pre>
  );
}
