/** Stop words, ignored when a tool is matched. */
const STOP = new Set(
  (
    'a an and any are as at be been by can could do does for from get give had has have he her him his how i if in into is it its ' +
    'just let like make may me my of on or our please she should so some such than that the their them then there these they this ' +
    'those to too up us want was we were what when where which who will with would you your it'
  ).split(' '),
);

/** The stems of the words of a text, in order; English endings only. */
export function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1 && !STOP.has(word)).map(stemOf);
}

function stemOf(word: string): string {
  if (word.length <= 4) return word.replace(/([^s])s$/, '$1');
  return word
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1')
    .replace(/(ization|isation|izing|ising|ized|ised|izes|ises|ize|ise)$/, 'iz')
    .replace(/(ations?|ating|ated|ates|ate)$/, 'at')
    .replace(/(?<=\w{3})(ing|ed|er|ion|ment|al)$/, '')
    .replace(/e$/, '')
    .replace(/([^aeiouls])\1$/, '$1');
}
