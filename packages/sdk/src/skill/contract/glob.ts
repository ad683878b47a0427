/** Whether a name fits a pattern, in which `*` is any number of characters; every other character is itself. */
export type NameTest = (name: string) => boolean;

/** Longest pattern and most stars of one: matching takes the length of the name for each star. */
export const MAX_PATTERN = 256;
const MAX_STARS = 8;

/** Whether a text can be a pattern. */
export function isPattern(text: string): boolean {
  return text !== '' && text.length <= MAX_PATTERN && text.split('*').length - 1 <= MAX_STARS;
}

/** The test of one pattern. */
export function nameTest(pattern: string): NameTest {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  if (rest.length === 0 && last === '') return (name) => name.startsWith(first);
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = name.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= name.length - last.length;
  };
}

/** The test of several patterns: one that fits is enough. */
export function anyOf(patterns: readonly string[]): NameTest {
  const tests = patterns.map(nameTest);
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (name) => tests.some((test) => test(name));
}
