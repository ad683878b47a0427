import { isUtf8 } from 'node:buffer';

/** What is wrong with a JSON text before it is parsed. */
export type JsonFault =
  'byte-order-mark' | 'not-utf8' | 'nul-character' | 'too-deep' | 'too-many-tokens' | 'duplicate-member';

export interface ScanLimits {
  /** Nesting of objects and arrays. */
  readonly maxDepth: number;
  /** Structural characters: braces, brackets, commas, colons. Bounds parse time where bytes do not. */
  readonly maxTokens: number;
}

/**
 * 10 MB of numbers block a process for half a second, 10 MB in one string do not: so tokens are limited. Deeper values
 * than this parse but can no longer be serialised safely.
 */
export const SCAN_LIMITS: ScanLimits = { maxDepth: 64, maxTokens: 50_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * One pass over a JSON text that finds what must not reach the parser; undefined when there is nothing. It judges size
 * and encoding, not grammar. Members of the outermost object must be unique: two readers of one envelope must not see
 * two different methods.
 */
export function scanJson(text: Buffer, limits: ScanLimits = SCAN_LIMITS): JsonFault | undefined {
  if (text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf) return 'byte-order-mark';
  if (!isUtf8(text)) return 'not-utf8';
  if (text.includes(0) || hasEscapedNul(text)) return 'nul-character';
  return scanStructure(text, limits);
}

function scanStructure(text: Buffer, { maxDepth, maxTokens }: ScanLimits): JsonFault | undefined {
  const members = new Set<string>();
  let depth = 0;
  let tokens = 0;
  let lastString = '';
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at] ?? 0) {
      case QUOTE: {
        const end = endOfString(text, at + 1);
        if (depth === 1) lastString = memberName(text, at, end);
        at = end;
        continue;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > maxDepth) return 'too-deep';
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COLON:
        if (depth !== 1) break;
        if (members.has(lastString)) return 'duplicate-member';
        members.add(lastString);
        break;
      case COMMA:
        break;
      default:
        continue;
    }
    tokens += 1;
    if (tokens > maxTokens) return 'too-many-tokens';
  }
  return undefined;
}

/** Whether `\\u0000` stands in the text as an escape, that is after an even number of other backslashes. */
function hasEscapedNul(text: Buffer): boolean {
  for (let at = text.indexOf('\\u0000'); at !== -1; at = text.indexOf('\\u0000', at + 6)) {
    let before = at - 1;
    while (before >= 0 && text[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return true;
  }
  return false;
}

/** The index of the closing quote, or the end of the text. */
function endOfString(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Decoded, so that `"id"` and its escaped spellings are one name; long strings are values or unknown, and left out. */
function memberName(text: Buffer, start: number, end: number): string {
  const raw = text.toString('utf8', start, Math.min(end, start + 256) + 1);
  if (!raw.includes('\\')) return raw;
  try {
    return `"${String(JSON.parse(raw))}"`;
  } catch {
    return raw;
  }
}
