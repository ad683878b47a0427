import type { Document, ItemSentence, ItemToken, ItsFunction } from 'wink-nlp';
import { Slices } from 'parley/skill';

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
/**
 * A longer word is cut: it is an address or no word at all, and the tokenizer's patterns take the square of its length
 * (10,000 characters of `http://ahttp://a…` took 10 s; words of 100 take 1 ms a thousand characters, whatever is in them).
 */
const LONGEST_WORD = 80;
/** Characters that the tokenizer gets at once: below 10 ms with the worst words found. */
const PIECE = 1_000;

let loading: Promise<Reader> | undefined;

/**
 * Reads English text. The language model is loaded by the first call and kept: about 100 ms and 50 MB.
 * Throws the signal's reason on abort.
 */
export async function readText(text: string, signal: AbortSignal): Promise<ReadText> {
  loading ??= load();
  const nlp = await loading;
  const slices = new Slices(signal);
  const sentences: Sentence[] = [];
  const count: Count = { words: 0, stopWords: 0 };
  for (const paragraph of text.split(/\n\s*\n/)) {
    let opensParagraph = true;
    for await (const item of sentencesIn(nlp, withoutLongWords(paragraph), slices)) {
      const sentence = sentenceOf(nlp, item, count);
      if (sentence !== undefined) {
        sentences.push({ ...sentence, opensParagraph });
        opensParagraph = false;
      }
    }
  }
  const { words, stopWords } = count;
  return { sentences, words, stopWordShare: words === 0 ? 0 : stopWords / words };
}

function withoutLongWords(paragraph: string): string {
  return paragraph.replace(/\S+/g, (word) => (word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}…` : word));
}

/**
 * The sentences of a paragraph, which is read in pieces. The last sentence of a piece may go on in the next, so it is
 * read again with that; one that fills a piece by itself is no prose and is taken as it is.
 */
async function* sentencesIn(nlp: Reader, paragraph: string, slices: Slices): AsyncGenerator<ItemSentence, void, void> {
  let rest = '';
  for (let at = 0; at < paragraph.length; at += PIECE) {
    const isLast = at + PIECE >= paragraph.length;
    const found = nlp.readDoc(rest + paragraph.slice(at, at + PIECE)).sentences();
    await slices.pause();
    const last = found.length() - 1;
    for (let index = 0; index < last; index++) {
      yield found.itemAt(index);
      await slices.pause();
    }
    const open = last < 0 ? undefined : found.itemAt(last);
    rest = isLast ? '' : (open?.out() ?? '');
    if (open !== undefined && (isLast || rest.length >= PIECE)) {
      yield open;
      rest = '';
    }
  }
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
