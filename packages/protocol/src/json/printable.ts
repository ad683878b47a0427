/**
 * Characters that a terminal obeys in place of showing them: control characters but line ends and tabs, a carriage return
 * that ends no line, separators of lines and paragraphs, and marks that change the direction of the text around them.
 */
const OBEYED = /\r(?!\n)|[^\P{Cc}\n\t\r]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Foreign text for a terminal: control characters become U+FFFD. Line ends stay. */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, '\ufffd');
}

/** The same on one line: text of others begins no line of its own. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\r\n]+/g, ' '));
}

/** A value as JSON that can be printed, and means the same to programs. */
export function printableJson(value: unknown, space?: number): string {
  return escaped(JSON.stringify(value, undefined, space));
}

/** A JSON text with these characters, which only its strings can have, as escapes. */
export function escaped(json: string): string {
  return json.replaceAll(OBEYED, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
