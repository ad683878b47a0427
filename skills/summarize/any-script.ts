import { Slices } from '@parley/sdk';
import { paragraphsOf, type ReadText, type Sentence, sentencesIn, type Splitter } from './pieces.js';

/** Characters that identify the script of a text. */
const TELLING = 4_000;
/** `。` ends a sentence anywhere; a mark of other scripts does before a space that no small letter follows. */
const END =
  /(?:[。！？｡।॥]+|(?<!(?:^|\s)\d{1,2})[\p{Sentence_Terminal}…།]+(?=["'”’»)\]]*(?:\s(?!\s*\p{Ll})|$)))["'”’»」』）)\]]*\s*/gu;
const CLOSED = /[\p{Sentence_Terminal}…།]["'”’»」』）)\]]*$/u;
/** Thai and Lao end a sentence by a space. */
const SPACED = /[\p{Script=Thai}\p{Script=Lao}]/u;
const SPACE = /\s+/gu;
/** Below this it is a heading, a list number or a fragment. */
const FEWEST_WORDS = 2;
/** Particles and endings of Japanese, which say nothing about the subject of a sentence. */
const PARTICLE = /^\p{Script=Hiragana}+$/u;
const ONE_LETTER = /^[^\p{Script=Han}]$/u;

const words = new Intl.Segmenter('und', { granularity: 'word' });

/** Whether most letters at the beginning of a text are Latin ones, or it has none. */
export function isLatin(text: string): boolean {
  const begin = text.slice(0, TELLING);
  const letters = begin.match(/\p{L}/gu)?.length ?? 0;
  const latin = begin.match(/\p{Script=Latin}/gu)?.length ?? 0;
  // One character of other scripts says about as much as two letters.
  return latin >= (letters - latin) * 2;
}

/**
 * Reads text of any script by the marks that end sentences, and the words that Unicode's rules and dictionaries find.
 * Throws the signal's reason on abort.
 */
export async function readAnyText(text: string, signal: AbortSignal): Promise<ReadText> {
  const slices = new Slices(signal);
  const sentences: Sentence[] = [];
  let count = 0;
  for (const paragraph of paragraphsOf(text)) {
    let opensParagraph = true;
    const splitter = splitterOf(paragraph);
    for await (const piece of sentencesIn(splitter, paragraph, slices)) {
      const found = wordsOf(piece);
      await slices.pause();
      count += found.length;
      const one = piece.replace(/\s+/g, ' ').trim();
      if (found.length < FEWEST_WORDS || !(splitter === BY_SPACES || CLOSED.test(one))) continue;
      sentences.push({ text: one, terms: termsOf(found), words: found.length, opensParagraph, pointsBack: false });
      opensParagraph = false;
    }
  }
  return { sentences, words: count };
}

const BY_MARKS: Splitter<string> = splitterBy(END);
const BY_SPACES: Splitter<string> = splitterBy(SPACE);

function splitterOf(paragraph: string): Splitter<string> {
  return SPACED.test(paragraph.slice(0, TELLING)) ? BY_SPACES : BY_MARKS;
}

/** Cuts behind each match. */
function splitterBy(end: RegExp): Splitter<string> {
  return {
    split: (piece) => {
      const cuts = [...piece.matchAll(end)].map(({ 0: match, index }) => index + match.length);
      const bounds = [...new Set([0, ...cuts, piece.length])];
      const found = bounds.slice(1).map((bound, index) => piece.slice(bounds[index], bound));
      return { length: () => found.length, itemAt: (index) => found[index] ?? '' };
    },
    textOf: (sentence) => sentence,
  };
}

function wordsOf(sentence: string): readonly string[] {
  return [...words.segment(sentence)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment.toLowerCase()] : [],
  );
}

function termsOf(found: readonly string[]): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  for (const word of found) {
    if (PARTICLE.test(word) || ONE_LETTER.test(word)) continue;
    terms.set(word, (terms.get(word) ?? 0) + 1);
  }
  return terms;
}
