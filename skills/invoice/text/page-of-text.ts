import type { PdfPage, Word } from '../pdf/pdf-part.js';

/** Typewriter spacing, in points: only the relative position of texts matters. */
const CHARACTER = 6;
const LINE = 12;
const SIZE = 10;

/** More lines than the head of an invoice and two thousand items have. */
const MAX_LINES = 5_000;

/** A plain text as the page that it would be on when printed: tabs and runs of spaces separate its columns. */
export function pageOfText(text: string): PdfPage {
  const lines = text.split(/\r\n|[\n\r\f]/u, MAX_LINES);
  const words = lines.flatMap((line, at) => wordsOf(line.slice(0, MAX_LINE), (at + 1) * LINE));
  return { kind: 'page', number: 1, width: MAX_LINE * CHARACTER, height: lines.length * LINE, words };
}

/** Longer lines are prose. */
const MAX_LINE = 500;

function wordsOf(line: string, y: number): readonly Word[] {
  return [...line.matchAll(/[^\s](?:[^\t\s]| (?! ))*/gu)].map(({ 0: found, index }) => {
    const text = found.trim();
    return { text, x: index * CHARACTER, y, width: text.length * CHARACTER, size: SIZE };
  });
}
