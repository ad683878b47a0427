import type { Found } from '../invoice.js';
import type { Cell, Line } from './layout.js';

/** Where a value is relative to its label, with how often that reading is right. */
const CONFIDENCE = { beside: 0.9, right: 0.88, below: 0.8 } as const;

/** A value below its label is at most this many font heights lower. */
const BELOW = 3;

/** Lines that can fit into that height; a page with more writes them over each other. */
const MAX_REACH = 12;

interface Place {
  readonly text: string;
  readonly place: keyof typeof CONFIDENCE;
}

/**
 * The value of the first label that has one: behind the label in its cell, in the next cell, or in the cell below.
 * `read` recognises a value; the most specific labels come first.
 */
export function labelledValue(
  lines: readonly Line[],
  labels: readonly RegExp[],
  read: (text: string) => string | undefined,
): (Found & { readonly text: string }) | undefined {
  const spots = lines.flatMap((line, at) => line.cells.map((cell) => ({ lines, at, cell })));
  for (const label of labels) {
    for (const spot of spots) {
      const found = valueOf(spot, label, read);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function valueOf(
  spot: { readonly lines: readonly Line[]; readonly at: number; readonly cell: Cell },
  label: RegExp,
  read: (text: string) => string | undefined,
): (Found & { readonly text: string }) | undefined {
  const match = label.exec(spot.cell.folded);
  if (match === null) return undefined;
  const rest = spot.cell.text.slice(match[0].length);
  for (const { text, place } of placesOf(spot, rest)) {
    const value = read(text);
    if (value !== undefined) {
      return { value, source: sourceOf(spot.cell, match[0]), confidence: CONFIDENCE[place], text };
    }
  }
  return undefined;
}

/** A label with something behind it has its value there or nowhere: `Invoice address` is no number. */
function placesOf(
  { lines, at, cell }: { readonly lines: readonly Line[]; readonly at: number; readonly cell: Cell },
  rest: string,
): readonly Place[] {
  if (rest !== '') return [{ text: rest, place: 'beside' }];
  const next = lines[at]?.cells.find(({ x }) => x > cell.x);
  const below = cellBelow(lines, at, cell);
  return [
    ...(next === undefined ? [] : [{ text: next.text, place: 'right' as const }]),
    ...(below === undefined ? [] : [{ text: below.text, place: 'below' as const }]),
  ];
}

/** The nearest cell under another one that shares its left edge, its right edge or most of its width. */
export function cellBelow(lines: readonly Line[], at: number, cell: Cell): Cell | undefined {
  for (const line of lines.slice(at + 1, at + 1 + MAX_REACH)) {
    if (line.page !== cell.page || line.y - cell.y > BELOW * Math.max(cell.size, line.size)) return undefined;
    const under = line.cells.find((each) => isAligned(each, cell));
    if (under !== undefined) return under;
  }
  return undefined;
}

function isAligned(a: Cell, b: Cell): boolean {
  const overlap = Math.min(a.right, b.right) - Math.max(a.x, b.x);
  const narrower = Math.min(a.right - a.x, b.right - b.x);
  return Math.abs(a.x - b.x) < 8 || Math.abs(a.right - b.right) < 8 || overlap > narrower / 2;
}

export function sourceOf(cell: Cell, label: string): string {
  return `page ${String(cell.page)}, "${cell.text.slice(0, Math.max(label.trim().length, 1)).trim()}"`;
}
