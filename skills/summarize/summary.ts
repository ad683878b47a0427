import { Slices } from '@parley/sdk';
import { textRank } from './rank.js';
import type { Sentence } from './pieces.js';
import { similarity, tfIdf, type Vector } from './vector.js';

export const SUMMARY_LENGTHS = ['short', 'medium', 'long'] as const;
export type SummaryLength = (typeof SUMMARY_LENGTHS)[number];

/** Share of the sentences to keep, and between how many. */
const SIZES: Readonly<Record<SummaryLength, { share: number; least: number; most: number }>> = {
  short: { share: 0.05, least: 1, most: 3 },
  medium: { share: 0.12, least: 2, most: 7 },
  long: { share: 0.25, least: 3, most: 15 },
};

/** Weight of a sentence's worth against its likeness to the chosen ones (MMR's lambda). */
const WORTH_OVER_NOVELTY = 0.7;

/** Characters of a text without sentences that its summary keeps. */
const KEPT: Readonly<Record<SummaryLength, number>> = { short: 250, medium: 500, long: 1_000 };

/** A short text as it is; the beginning of a longer one, cut between words where there are any. */
export function cutText(text: string, length: SummaryLength): string {
  const limit = KEPT[length];
  if (text.length <= KEPT.long) return text;
  const begin = Array.from(text.slice(0, limit + 1))
    .slice(0, -1)
    .join('');
  const space = begin.search(/\s\S*$/);
  return `${begin.slice(0, space > limit / 2 ? space : undefined).trimEnd()}…`;
}

/** How many sentences a summary of that length has. */
export function summarySize(sentences: number, length: SummaryLength): number {
  const { share, least, most } = SIZES[length];
  return Math.min(sentences, most, Math.max(least, Math.round(sentences * share)));
}

/** Requested form of a summary. */
export interface SummaryWish {
  readonly length: SummaryLength;
  /** How many sentences, instead of a length. */
  readonly sentences?: number | undefined;
  /** Sentences that must not be chosen. */
  readonly leaveOut?: readonly string[] | undefined;
}

/**
 * The sentences that say most of the text, in the text's order. Throws the signal's reason on abort.
 */
export async function summarize(
  all: readonly Sentence[],
  { length, sentences: count, leaveOut = [] }: SummaryWish,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const sentences = all.filter(({ text }) => !leaveOut.includes(text));
  const slices = new Slices(signal);
  const vectors = await tfIdf(
    sentences.map(({ terms }) => terms),
    slices,
  );
  const ranks = await textRank(vectors, slices);
  const worths = sentences.map((sentence, index) => (ranks[index] ?? 0) * bonus(sentence, index, sentences.length));
  const chosen = await chooseDiverse(worths, vectors, { size: count ?? summarySize(all.length, length), slices });
  return chosen.sort((one, other) => one - other).flatMap((index) => sentences[index]?.text ?? []);
}

/** Weight of a sentence beyond its rank: prose states its subject early, and fragments summarise badly. */
function bonus(sentence: Sentence, index: number, total: number): number {
  const lead = index === 0 ? 1.4 : 1 + 0.15 * (1 - index / total);
  const opening = sentence.opensParagraph ? 1.1 : 1;
  const reference = sentence.pointsBack ? 0.7 : 1;
  const size = sentence.words < 8 ? 0.6 : sentence.words > 45 ? 0.8 : 1;
  return lead * opening * reference * size;
}

/** Maximal marginal relevance (Carbonell and Goldstein, 1998): the worthiest that repeats the chosen ones least. */
export async function chooseDiverse(
  worths: readonly number[],
  vectors: readonly Vector[],
  { size, slices }: { readonly size: number; readonly slices: Slices },
): Promise<number[]> {
  const chosen: number[] = [];
  const left = new Map(worths.map((worth, index) => [index, { worth, likeness: 0 }]));
  while (chosen.length < size && left.size > 0) {
    let best = -1;
    let bestValue = -Infinity;
    for (const [index, { worth, likeness }] of left) {
      const value = WORTH_OVER_NOVELTY * worth - (1 - WORTH_OVER_NOVELTY) * likeness;
      if (value > bestValue) {
        [best, bestValue] = [index, value];
      }
    }
    left.delete(best);
    chosen.push(best);
    const newest = vectors[best] ?? new Map<string, number>();
    for (const [index, entry] of left) {
      entry.likeness = Math.max(entry.likeness, similarity(vectors[index] ?? newest, newest));
    }
    await slices.pause();
  }
  return chosen;
}
