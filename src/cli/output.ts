/** What a command found out: shown to people as text, to programs as JSON. */
export interface Output {
  readonly json: unknown;
  readonly text: string;
}

/** Rows under their names, as wide as their widest cell; a sentence when there is none. */
export function table(names: readonly string[], rows: readonly (readonly string[])[], none = 'Nothing found.'): string {
  if (rows.length === 0) return none;
  const widths = names.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(names.map((name) => name.toUpperCase())), ...rows.map(line)].join('\n');
}

/** `1 webhook`, `2 webhooks`. */
export function counted(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
