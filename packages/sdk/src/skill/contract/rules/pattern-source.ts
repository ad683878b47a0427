/** ECMA-262 syntax whose meaning under the flag `i` cannot be written as characters. */
const WITHOUT_CASES = /\\[uUxXcCpPkK1-9]|\(\?[<=!]/;

/**
 * A regular expression as the `pattern` of a JSON Schema, which has no flags and is read as Unicode. Undefined where no pattern
 * means the same: then the schema is looser than the rule.
 */
export function patternOf(rule: RegExp | string, modifiers = ''): string | undefined {
  const regExp = typeof rule === 'string' ? readable(rule, modifiers) : rule;
  if (regExp === undefined || /[myv]/.test(regExp.flags)) return undefined;
  const lined = regExp.flags.includes('s') ? withDots(regExp.source) : regExp.source;
  const source = regExp.flags.includes('i') ? withCases(lined, regExp.flags.includes('u')) : lined;
  return source !== undefined && readable(source, 'u') !== undefined ? source : undefined;
}

/** A text as a pattern that finds it. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function readable(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** Escapes, character classes, and all else, one after the other. */
const TOKENS = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g;

function withDots(source: string): string {
  return source.replaceAll(TOKENS, (token) => (token === '.' ? '[\\s\\S]' : token));
}

function withCases(source: string, isUnicode: boolean): string | undefined {
  if (WITHOUT_CASES.test(source)) return undefined;
  const inexact: string[] = [];
  const cased = source.replaceAll(TOKENS, (token) => {
    if (token.startsWith('\\')) return token;
    if (!token.startsWith('[')) {
      const cases = casesOf(token, isUnicode);
      return cases.length === 1 ? token : `[${cases.join('')}]`;
    }
    const members = classOf(token, isUnicode);
    if (members === undefined) inexact.push(token);
    return members ?? token;
  });
  return inexact.length === 0 ? cased : undefined;
}

/** A class with both cases of its members; undefined where a range goes over letters in part. */
function classOf(token: string, isUnicode: boolean): string | undefined {
  const [, negation = '', body = ''] = /^\[(\^?)([\s\S]*)\]$/.exec(token) ?? [];
  const inexact: string[] = [];
  const members = body.replaceAll(/\\[\s\S]|([^\\])-([^\\\]])|[\s\S]/g, (member, from?: string, to?: string) => {
    if (member.startsWith('\\')) return member;
    if (from === undefined || to === undefined) return casesOf(member, isUnicode).join('');
    if (/^[a-z][a-z]$|^[A-Z][A-Z]$/.test(from + to)) {
      const folded = isUnicode ? rangeFolds(from, to) : '';
      return `${from.toLowerCase()}-${to.toLowerCase()}${from.toUpperCase()}-${to.toUpperCase()}${folded}`;
    }
    if (!/^\d\d$/.test(from + to)) inexact.push(member);
    return member;
  });
  return inexact.length === 0 ? `[${negation}${members}]` : undefined;
}

/** The letters beyond ASCII that fold to letters of ASCII, where the flag `u` is set. */
const FOLDS: Readonly<Record<string, string>> = { k: '\u212a', s: '\u017f' };

function casesOf(letter: string, isUnicode: boolean): readonly string[] {
  if (!/\p{L}/u.test(letter)) return [letter];
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  const fold = isUnicode ? FOLDS[lower] : undefined;
  return [...new Set([letter, lower, upper])].concat(fold ?? []).filter((one) => [...one].length === 1);
}

function rangeFolds(from: string, to: string): string {
  const [first, last] = [from.toLowerCase(), to.toLowerCase()];
  return Object.entries(FOLDS)
    .flatMap(([letter, fold]) => (first <= letter && letter <= last ? [fold] : []))
    .join('');
}
