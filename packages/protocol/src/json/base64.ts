const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;
const MAX_PADDING = 2;

/**
 * Whether a text is standard base64 with padding; the empty text is. The pattern has no repetition: where V8 no longer optimizes
 * patterns (a process that has compiled many), each character of one would cost it stack, and 5 MiB more than there is.
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && !OUTSIDE_ALPHABET.test(text.slice(0, text.length - paddingOf(text)));
}

/** The number of `=` at the end, of which base64 has at most two. */
function paddingOf(text: string): number {
  let padding = 0;
  while (padding < MAX_PADDING && text[text.length - 1 - padding] === '=') padding += 1;
  return padding;
}
