/** Faults found in a JSON text before it is parsed. */
export type JsonFault = 'nul-character' | 'lone-surrogate' | 'too-deep' | 'too-many-tokens';

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

/** The structural effect of an ASCII character outside of strings; 0 for none. */
const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const COMMA = 4;
const COLON = 5;
const ROLES = new Uint8Array(128);
for (const [text, role] of [
  ['"', STRING],
  ['[{', OPEN],
  [']}', CLOSE],
  [',', COMMA],
  [':', COLON],
] as const) {
  for (const character of text) ROLES[character.charCodeAt(0)] = role;
}

const NO_DIGIT = 255;
/** The value of each ASCII character that is a hexadecimal digit. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < 16; digit += 1) {
  const text = digit.toString(16);
  for (const spelling of [text, text.toUpperCase()]) DIGITS[spelling.charCodeAt(0)] = digit;
}

/**
 * One pass over a JSON text that finds content unfit for the parser. It judges size and characters, not grammar.
 * Without a fault, gives the number of members of the outermost object.
 */
export function scanJson(text: string, { maxDepth, maxTokens }: ScanLimits = SCAN_LIMITS): JsonFault | number {
  if (text.includes('\0')) return 'nul-character';
  let depth = 0;
  let tokens = 0;
  let strings = 0;
  let members = 0;
  let backslash = -1;
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const role = ROLES[text.charCodeAt(at)] ?? 0;
    if (role === 0) continue;
    if (role === STRING) {
      if (backslash <= at) backslash = backslashAfter(text, at);
      at = endOfString(text, at + 1, backslash);
      if (at < 0) return at === NUL ? 'nul-character' : 'lone-surrogate';
      // JSON has no more strings than structural characters: this bounds other texts.
      strings += 1;
      if (strings > maxTokens) return 'too-many-tokens';
      continue;
    }
    tokens += 1;
    if (tokens > maxTokens) return 'too-many-tokens';
    if (role === OPEN) depth += 1;
    if (role === CLOSE) depth -= 1;
    if (depth > maxDepth) return 'too-deep';
    if (role === COLON && depth === 1) members += 1;
  }
  return members;
}

/** Returned by `endOfString` for refused escapes: NUL, and unpaired surrogates. */
const NUL = -1;
const LONE_SURROGATE = -2;

/**
 * The index of the closing quote, or the end of the text; negative where an escape in it is refused. Strings without
 * escapes, which the long ones are, are skipped at the speed of memory.
 */
function endOfString(text: string, from: number, nextBackslash: number): number {
  const quote = text.indexOf('"', from);
  const end = quote === -1 ? text.length : quote;
  return end < nextBackslash ? end : endOfEscapedString(text, nextBackslash);
}

function endOfEscapedString(text: string, from: number): number {
  const { length } = text;
  for (let at = from; at < length; at += 1) {
    const character = text[at];
    if (character === '"') return at;
    if (character !== '\\') continue;
    at += 1;
    if (text[at] !== 'u') continue;
    const unit = codeUnit(text, at + 1);
    if (unit === 0) return NUL;
    if (isLowSurrogate(unit)) return LONE_SURROGATE;
    if (!isHighSurrogate(unit)) continue;
    // Text that was UTF-8 has no half of a pair: the other one can only be the next escape.
    const isPair = text[at + 5] === '\\' && text[at + 6] === 'u' && isLowSurrogate(codeUnit(text, at + 7));
    if (!isPair) return LONE_SURROGATE;
    at += 10;
  }
  return length;
}

/** The UTF-16 unit that four hexadecimal digits write; -1 where they are none, which the parser refuses. */
function codeUnit(text: string, at: number): number {
  let unit = 0;
  for (let place = at; place < at + 4; place += 1) {
    const digit = DIGITS[text.charCodeAt(place)] ?? NO_DIGIT;
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

function backslashAfter(text: string, from: number): number {
  const at = text.indexOf('\\', from);
  return at === -1 ? text.length : at;
}
