import type { Slices } from '@parley/sdk';

/** A sentence as the ranking sees it. */
export interface Sentence {
  /** Its text on one line. */
  readonly text: string;
  /** How often each content word (lemma, lower case) occurs. */
  readonly terms: ReadonlyMap<string, number>;
  readonly words: number;
  /** The first one of its paragraph. */
  readonly opensParagraph: boolean;
  /** Begins by pointing back ("He …", "By then …", "But …"), so it reads badly without the one before. */
  readonly pointsBack: boolean;
}

/** Parts of a text. */
export interface ReadText {
  readonly sentences: readonly Sentence[];
  readonly words: number;
}

/** The sentences of one piece of text, by their positions. */
export interface Split<T> {
  length(): number;
  itemAt(index: number): T;
}

/** Finds sentences in short texts. */
export interface Splitter<T> {
  readonly split: (piece: string) => Split<T>;
  readonly textOf: (sentence: T) => string;
}

/**
 * A longer word of Latin letters is cut: it is an address or no word at all, and the tokenizer's patterns take the square of its
 * length (10,000 characters of `http://ahttp://a…` took 10 s; words of 100 take 1 ms a thousand characters, whatever is in them).
 */
const LONGEST_WORD = 80;
/** Characters that a splitter gets at once: below 10 ms with the worst words found. */
const PIECE = 1_000;

export function paragraphsOf(text: string): readonly string[] {
  return text.split(/\n\s*\n/).map(withoutLongWords);
}

/** Scripts without spaces have no long words: only text in Latin letters, digits and signs is cut. */
function withoutLongWords(paragraph: string): string {
  return paragraph.replace(/\S+/g, (word) =>
    word.length > LONGEST_WORD && isOneWord(word) ? `${word.slice(0, LONGEST_WORD)}…` : word,
  );
}

function isOneWord(word: string): boolean {
  return /^[\p{Script=Latin}\p{N}\p{P}\p{S}\p{M}\p{Cf}]+$/u.test(word.slice(0, LONGEST_WORD + 1));
}

/**
 * The sentences of a paragraph, which is read in pieces. The last sentence of a piece may continue in the next, so it is
 * read again with that; one that fills a piece by itself is no prose and is taken as it is.
 */
export async function* sentencesIn<T>(
  { split, textOf }: Splitter<T>,
  paragraph: string,
  slices: Slices,
): AsyncGenerator<T, void, void> {
  let rest = '';
  for (let at = 0; at < paragraph.length;) {
    const end = cutAt(paragraph, at + PIECE);
    const isLast = end >= paragraph.length;
    const found = split(rest + paragraph.slice(at, end));
    at = end;
    await slices.pause();
    const last = found.length() - 1;
    for (let index = 0; index < last; index++) {
      yield found.itemAt(index);
      await slices.pause();
    }
    const open = last < 0 ? undefined : found.itemAt(last);
    rest = isLast || open === undefined ? '' : textOf(open);
    if (open !== undefined && (isLast || rest.length >= PIECE)) {
      yield open;
      rest = '';
    }
  }
}

/** No piece ends between the two halves of a character. */
function cutAt(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}
