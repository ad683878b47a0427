import { setImmediate as breathe } from 'node:timers/promises';
import type { Document, ItemSentence, ItemToken, ItsFunction } from 'wink-nlp';

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

/** What a text consists of. */
export interface ReadText {
  readonly sentences: readonly Sentence[];
  readonly words: number;
  /** 0 … 1; English prose has about 0.5. */
  readonly stopWordShare: number;
}

/** What is used of wink-nlp, which types `its.lemma` with its arguments in another order than `out` asks for. */
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
const FEWEST_WORDS = 4;
/** How long one stretch may hold the process that other requests share. */
const STRETCH_MS = 10;

let loading: Promise<Reader> | undefined;

/**
 * Reads English text. The language model is loaded by the first call and kept: about 100 ms and 50 MB.
 * Throws the signal's reason on abort.
 */
export async function readText(text: string, signal: AbortSignal): Promise<ReadText> {
  loading ??= load();
  const nlp = await loading;
  const sentences: Sentence[] = [];
  const count: Count = { words: 0, stopWords: 0 };
  let stretchEnds = Date.now() + STRETCH_MS;
  for (const paragraph of text.split(/\n\s*\n/)) {
    sentences.push(...sentencesOf(nlp, paragraph, count));
    if (Date.now() >= stretchEnds) {
      await breathe(undefined, { signal });
      stretchEnds = Date.now() + STRETCH_MS;
    }
  }
  const { words, stopWords } = count;
  return { sentences, words, stopWordShare: words === 0 ? 0 : stopWords / words };
}

function sentencesOf(nlp: Reader, paragraph: string, count: Count): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const document = nlp.readDoc(paragraph);
  document.sentences().each((item: ItemSentence) => {
    const text = item.out().replace(/\s+/g, ' ').trim();
    const { terms, opening, words } = readWords(nlp, item, count);
    if (words >= FEWEST_WORDS && CLOSED.test(text)) {
      sentences.push({ text, terms, words, opensParagraph: sentences.length === 0, pointsBack: pointsBack(opening) });
    }
  });
  return sentences;
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
