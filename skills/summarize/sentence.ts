import type { Document, ItemSentence, ItemToken, ItsFunction } from 'wink-nlp';
import { Slices } from '@parley/sdk';
import { isLatin, readAnyText } from './any-script.js';
import { paragraphsOf, type ReadText, type Sentence, sentencesIn, type Splitter } from './pieces.js';

/** The used part of wink-nlp, which types `its.lemma` with its arguments in another order than `out` asks for. */
interface Reader {
  readDoc(text: string): Document;
  readonly its: {
    readonly type: ItsFunction<string>;
    readonly normal: ItsFunction<string>;
    readonly pos: ItsFunction<string>;
    readonly lemma: ItsFunction<string>;
    readonly stopWordFlag: ItsFunction<boolean>;
  };
}

interface Count {
  words: number;
  stopWords: number;
}

const CONTENT = new Set(['NOUN', 'PROPN', 'VERB', 'ADJ', 'NUM']);
const POINTING_BACK = new Set(['PRON', 'CCONJ', 'SCONJ']);
const POINTING_WORDS = new Set([
  'this',
  'that',
  'these',
  'those',
  'such',
  'then',
  'however',
  'therefore',
  'too',
  'also',
]);
const CLOSED = /[.!?…]["'”’)\]]*$/;
/** Below this it is a heading, a list number or a fragment. */
const FEWEST_WORDS = 2;
/** Enough words to identify the language. English prose has half stop words, other languages about a tenth. */
const TELLING_WORDS = 50;
const LEAST_STOP_WORD_SHARE = 0.15;

let loading: Promise<Reader> | undefined;

/**
 * Reads text of any script: English by a language model, which the first call loads (about 100 ms and 50 MB), every other
 * language by the marks that end its sentences. Throws the signal's reason on abort.
 */
export async function readText(text: string, signal: AbortSignal): Promise<ReadText> {
  if (!isLatin(text)) return readAnyText(text, signal);
  const english = await readEnglish(text, signal);
  const isOther = english.words >= TELLING_WORDS && english.stopWords < english.words * LEAST_STOP_WORD_SHARE;
  return isOther ? readAnyText(text, signal) : english;
}

async function readEnglish(text: string, signal: AbortSignal): Promise<ReadText & Count> {
  loading ??= load();
  const nlp = await loading;
  const slices = new Slices(signal);
  const sentences: Sentence[] = [];
  const count: Count = { words: 0, stopWords: 0 };
  const split: Splitter<ItemSentence> = {
    split: (piece) => nlp.readDoc(piece).sentences(),
    textOf: (item) => item.out(),
  };
  for (const paragraph of paragraphsOf(text)) {
    let opensParagraph = true;
    for await (const item of sentencesIn(split, paragraph, slices)) {
      const sentence = sentenceOf(nlp, item, count);
      if (sentence !== undefined) {
        sentences.push({ ...sentence, opensParagraph });
        opensParagraph = false;
      }
    }
  }
  return { sentences, ...count };
}

function sentenceOf(nlp: Reader, item: ItemSentence, count: Count): Omit<Sentence, 'opensParagraph'> | undefined {
  const text = item.out().replace(/\s+/g, ' ').trim();
  const { terms, opening, words } = readWords(nlp, item, count);
  return words >= FEWEST_WORDS && CLOSED.test(text)
    ? { text, terms, words, pointsBack: pointsBack(opening) }
    : undefined;
}

interface Word {
  readonly normal: string;
  readonly pos: string;
}

interface ReadWords {
  readonly terms: ReadonlyMap<string, number>;
  /** The first two words. */
  readonly opening: readonly Word[];
  readonly words: number;
}

function readWords({ its }: Reader, sentence: ItemSentence, count: Count): ReadWords {
  const terms = new Map<string, number>();
  const opening: Word[] = [];
  let words = 0;
  sentence.tokens().each((token: ItemToken) => {
    if (token.out(its.type) !== 'word') {
      return;
    }
    words += 1;
    const word = { normal: token.out(its.normal), pos: token.out(its.pos) };
    if (words <= 2) {
      opening.push(word);
    }
    const isStopWord = token.out(its.stopWordFlag) === true;
    count.stopWords += isStopWord ? 1 : 0;
    if (!isStopWord && CONTENT.has(word.pos)) {
      const lemma = token.out(its.lemma);
      terms.set(lemma, (terms.get(lemma) ?? 0) + 1);
    }
  });
  count.words += words;
  return { terms, opening, words };
}

function pointsBack(opening: readonly Word[]): boolean {
  const first = opening[0];
  return (
    first !== undefined && (POINTING_BACK.has(first.pos) || opening.some(({ normal }) => POINTING_WORDS.has(normal)))
  );
}

async function load(): Promise<Reader> {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  return winkNLP(model, ['sbd', 'pos']) as unknown as Reader;
}
