/** Size limits of a JSON value to read. */
export interface JsonLimits {
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** Room for the largest invoice that is read, with all fields of each line; a larger value is an attack or a mistake. */
export const JSON_LIMITS: JsonLimits = { maxValues: 50_000, maxDepth: 64 };

/** Whether a JSON value is within limits. Looks at no more values than the limit. */
export function isWithin(value: unknown, { maxValues, maxDepth }: JsonLimits): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    seen += 1;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const depth = next.depth + 1;
    for (const name in next.value) {
      open.push({ value: Reflect.get(next.value, name), depth });
      if (depth > maxDepth || seen + open.length > maxValues) return false;
    }
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * Whether a JSON text is within limits, seen from its marks alone. Asked before it is parsed: a few megabytes of
 * brackets unfold to more memory than a thread has, and running out of it inside of the parser ends the whole process.
 */
export function isTextWithin(bytes: Uint8Array, { maxValues, maxDepth }: JsonLimits): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
    } else if (OPENING.includes(byte)) {
      values += 1;
      depth += 1;
    } else if (CLOSING.includes(byte)) {
      depth -= 1;
    }
    if (depth > maxDepth || values > maxValues) return false;
  }
  return true;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
