import type { PdfPage, Word } from '../pdf/pdf-part.js';
import { folded } from './folded.js';

/** Adjacent words: a label, a value, one column's entry in a row. */
export interface Cell {
  readonly text: string;
  readonly folded: string;
  readonly page: number;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
}

/** The texts on one baseline of a page, from left to right. */
export interface Line {
  readonly page: number;
  readonly y: number;
  readonly size: number;
  readonly cells: readonly Cell[];
}

/** Baselines closer than this part of the font's height are one line: superscripts and rounding. */
const SAME_LINE = 0.4;
/** A gap wider than this many font heights separates cells; a space between words is a quarter to a half. */
const CELL_GAP = 1.1;
/** A gap narrower than this is within a word: some programs place every letter. */
const WORD_GAP = 0.12;

/** Longer texts are prose, and cut: the search patterns must not work on a whole book. */
const MAX_CELL = 300;

/** More cells on one line are no table of an invoice; each is held against those of the lines around. */
const MAX_CELLS = 60;

/** The lines of all pages in reading order. */
export function linesOf(pages: readonly PdfPage[]): readonly Line[] {
  return pages.flatMap((page) => rowsOf(page.words).map((words) => lineOf(page.number, words)));
}

function rowsOf(words: readonly Word[]): readonly (readonly Word[])[] {
  const rows: Word[][] = [];
  for (const word of words.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row !== undefined && first !== undefined && word.y - first.y <= SAME_LINE * Math.min(word.size, first.size)) {
      row.push(word);
    } else {
      rows.push([word]);
    }
  }
  return rows.map((row) => row.toSorted((a, b) => a.x - b.x));
}

function lineOf(page: number, words: readonly Word[]): Line {
  const groups: Word[][] = [];
  for (const word of words) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && gap(last, word) <= CELL_GAP * Math.max(last.size, word.size)) {
      group.push(word);
    } else {
      groups.push([word]);
    }
  }
  const cells = groups.slice(0, MAX_CELLS).map((group) => cellOf(page, group));
  return { page, y: words[0]?.y ?? 0, size: Math.max(...cells.map(({ size }) => size)), cells };
}

function cellOf(page: number, words: readonly Word[]): Cell {
  let text = '';
  let before: Word | undefined;
  for (const word of words) {
    if (before !== undefined && gap(before, word) > WORD_GAP * word.size) text += ' ';
    text += word.text;
    before = word;
  }
  text = text.replace(/\s+/gu, ' ').trim().slice(0, MAX_CELL);
  return {
    text,
    folded: folded(text),
    page,
    x: Math.min(...words.map(({ x }) => x)),
    right: Math.max(...words.map(({ x, width }) => x + width)),
    y: words[0]?.y ?? 0,
    size: Math.max(...words.map(({ size }) => size)),
  };
}

function gap(left: Word, right: Word): number {
  return right.x - (left.x + left.width);
}
