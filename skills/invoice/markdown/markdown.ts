/** Text of a stranger inside of Markdown: no markup, no table borders, no line breaks. */
export function plain(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\\`*_{}[\]<>|#~]/gu, String.raw`\$&`);
}

/** A table; empty when it has no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const written = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [written(head), written(head.map(() => '---')), ...rows.map(written), ''];
}
