/** Words in nearly every query, without meaning for a search. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be by can could do does find for from get give has have help how i in into is it its ' +
    'like me my need of on or our please some somebody someone that the their them there this to us use want we what ' +
    'when where which who will with would you your agent agents'
  ).split(' '),
);
/** Indexed words per text. */
const MAX_WORDS = 2000;

/** The normalised words of a text: lower case, without accents and common endings. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
  // Splits camel case into words.
  const apart = plain.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = apart.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, MAX_WORDS)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);
}

/** A light stem for English: enough that `invoices` and `extracting` find `invoice` and `extract`. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const singular = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : /(?:ss|us|is)$/.test(word)
      ? word
      : word.replace(/(?<=x|ch|sh|ss)es$|s$/, '');
  const root = singular.replace(/(?:ations?|ators?|ating|ated?)$/, 'at').replace(/(?:ings?|ed|ors?|ers?|ions?)$/, '');
  const base = root.length < 3 ? singular : root;
  // `planning` becomes `plan`; a final `e` is dropped in most endings.
  return base.replace(/([bdgmnprt])\1$/, '$1').replace(/e$/, '');
}

/** Whether two words differ by at most one letter: added, omitted, replaced, or swapped with its neighbour. */
export function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const rest = (text: string, from: number): string => text.slice(from);
  return (
    rest(one, at + 1) === rest(other, at + 1) ||
    rest(one, at + 1) === rest(other, at) ||
    rest(one, at) === rest(other, at + 1) ||
    (one[at] === other[at + 1] && one[at + 1] === other[at] && rest(one, at + 2) === rest(other, at + 2))
  );
}
