/** Repetitive, nested and giant texts of one length: each is the worst found for some pattern, square or stack. */
export function hostileTexts(length: number): readonly (readonly [name: string, text: string])[] {
  const filled = (piece: string): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  return [
    ['one address without an end', filled('http://a')],
    ['addresses of a hundred characters', filled(`${'http://a'.repeat(12)} `)],
    ['www. without an end', filled('www.')],
    ['half addresses', filled('://')],
    ['mail addresses', filled('a@b.c ')],
    ['one word', filled('a')],
    ['one sentence', filled('the word ')],
    ['sentences of four letters', filled('A b c d. ')],
    ['one sentence, repeated', filled('The quick brown fox jumps over the lazy dog near the bank. ')],
    ['paragraphs of a letter', filled('a\n\n')],
    ['paragraphs of a sentence', filled('This is a one.\n\n')],
    ['abbreviations', filled('Mr. ')],
    ['points', filled('. ')],
    ['nested brackets', filled('([{"')],
    ['numbers', filled('1,1,1,1,1,1,1 ')],
    ['pictures', filled('\u{1f600} ')],
    ['joined pictures', filled('\u{1f468}\u200d')],
    ['letters with marks', filled('e\u0301')],
    ['words that occur once', wordsThatOccurOnce(length)],
  ];
}

function wordsThatOccurOnce(length: number): string {
  const words: string[] = [];
  for (let size = 0, at = 0; size < length; at++) {
    const word = at % 12 === 11 ? 'it was the one.' : `w${at.toString(36)}`;
    words.push(word);
    size += word.length + 1;
  }
  return words.join(' ').slice(0, length);
}
