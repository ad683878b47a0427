import { printableLine } from '@parley/protocol/json/printable.js';

/** The result of a command, as text for people and as JSON for programs. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
}

/** A table with column names, each column as wide as its widest cell; the text `none` if there are no rows. */
export function table(names: readonly string[], rows: readonly (readonly string[])[], none = 'Nothing found.'): string {
  if (rows.length === 0) return none;
  const shown = rows.map((row) => row.map(printableLine));
  const widths = names.map((name, at) =>
    shown.reduce((width, row) => Math.max(width, (row[at] ?? '').length), name.length),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(names.map((name) => name.toUpperCase())), ...shown.map(line)].join('\n');
}

/** A caller's or agent's text on one line, without control characters and marks of text direction. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}

/** `1 webhook`, `2 webhooks`. */
export function counted(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
