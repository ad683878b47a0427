import { isUtf8 } from 'node:buffer';

/** Faults found in a JSON text before it is parsed. */
export type JsonFault =
  | 'byte-order-mark'
  | 'not-utf8'
  | 'nul-character'
  | 'lone-surrogate'
  | 'too-deep'
  | 'too-many-tokens'
  | 'duplicate-member';

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
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The structural effect of a byte outside of strings; 0 for none. */
const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const COMMA = 4;
const COLON = 5;
const ROLES = new Uint8Array(256);
ROLES[QUOTE] = STRING;
for (const [text, role] of [
  ['[{', OPEN],
  [']}', CLOSE],
  [',', COMMA],
  [':', COLON],
] as const) {
  for (const character of text) ROLES[character.charCodeAt(0)] = role;
}

const NO_DIGIT = 255;
/** The value of each byte that is a hexadecimal digit. */
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (let digit = 0; digit < 16; digit += 1) {
  const text = digit.toString(16);
  for (const spelling of [text, text.toUpperCase()]) DIGITS[spelling.charCodeAt(0)] = digit;
}

/**
 * One pass over a JSON text that finds what must not reach the parser; undefined when there is nothing. It judges size
 * and encoding, not grammar. Members of the outermost object must be unique: two readers of one envelope must not see
 * two different methods.
 */
export function scanJson(text: Buffer, limits: ScanLimits = SCAN_LIMITS): JsonFault | undefined {
  if (text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf) return 'byte-order-mark';
  if (!isUtf8(text)) return 'not-utf8';
  if (text.includes(0)) return 'nul-character';
  return scanStructure(text, limits);
}

function scanStructure(text: Buffer, { maxDepth, maxTokens }: ScanLimits): JsonFault | undefined {
  const members = new Set<string>();
  let depth = 0;
  let tokens = 0;
  let strings = 0;
  let nameAt = -1;
  let nameEnd = -1;
  let backslash = -1;
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const role = ROLES[text[at] ?? 0];
    if (role === 0) continue;
    if (role === STRING) {
      if (backslash <= at) backslash = backslashAfter(text, at);
      const end = endOfString(text, at + 1, backslash);
      if (end < 0) return end === NUL ? 'nul-character' : 'lone-surrogate';
      // JSON has no more strings than structural characters: this bounds what is not JSON.
      strings += 1;
      if (strings > maxTokens) return 'too-many-tokens';
      if (depth === 1) {
        nameAt = at;
        nameEnd = end;
      }
      at = end;
      continue;
    }
    tokens += 1;
    if (tokens > maxTokens) return 'too-many-tokens';
    if (role === OPEN) depth += 1;
    if (role === CLOSE) depth -= 1;
    if (depth > maxDepth) return 'too-deep';
    if (role !== COLON || depth !== 1 || nameAt < 0) continue;
    const name = memberName(text, nameAt, nameEnd);
    if (members.has(name)) return 'duplicate-member';
    members.add(name);
    nameAt = -1;
  }
  return undefined;
}

/** Returned by `endOfString` for refused escapes: NUL, and unpaired surrogates. */
const NUL = -1;
const LONE_SURROGATE = -2;

/**
 * The index of the closing quote, or the end of the text; negative where an escape in it is refused. Strings without
 * escapes, which the long ones are, are skipped at the speed of memory.
 */
function endOfString(text: Buffer, from: number, nextBackslash: number): number {
  const quote = text.indexOf(QUOTE, from);
  const end = quote === -1 ? text.length : quote;
  return end < nextBackslash ? end : endOfEscapedString(text, nextBackslash);
}

function endOfEscapedString(text: Buffer, from: number): number {
  const { length } = text;
  for (let at = from; at < length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    at += 1;
    if (text[at] !== LETTER_U) continue;
    const unit = codeUnit(text, at + 1);
    if (unit === 0) return NUL;
    if (isLowSurrogate(unit)) return LONE_SURROGATE;
    if (!isHighSurrogate(unit)) continue;
    // UTF-8 has no surrogates: the other half can only be the next escape.
    const isPair = text[at + 5] === BACKSLASH && text[at + 6] === LETTER_U && isLowSurrogate(codeUnit(text, at + 7));
    if (!isPair) return LONE_SURROGATE;
    at += 10;
  }
  return length;
}

/** The UTF-16 unit that four hexadecimal digits write; -1 where they are none, which the parser refuses. */
function codeUnit(text: Buffer, at: number): number {
  let unit = 0;
  for (let place = at; place < at + 4; place += 1) {
    const digit = DIGITS[text[place] ?? 0] ?? NO_DIGIT;
    if (digit === NO_DIGIT) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function backslashAfter(text: Buffer, from: number): number {
  const at = text.indexOf(BACKSLASH, from);
  return at === -1 ? text.length : at;
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
