import type { ReadText, Sentence } from '../pieces.js';
import type { ReviewDto, ReviewFaultDto } from './review.dto.js';

/** Criteria for a summary. */
export interface ReviewRules {
  readonly maxWords: number;
  /** Share of the text's key terms that the summary must have, 0 … 1. */
  readonly minCoverage: number;
}

/** The words that a text uses most: a summary must have enough of them. */
const KEY_TERMS = 10;

/** Judges a summary by rules: its length, whether it has the terms of the text, and references that lead nowhere. */
export function reviewOf(text: ReadText, summary: ReadText, { maxWords, minCoverage }: ReviewRules): ReviewDto {
  const coverage = coverageOf(text, summary);
  const faults: readonly ReviewFaultDto[] = [
    ...(summary.words > maxWords
      ? [{ rule: 'length' as const, text: `It has ${String(summary.words)} words; ${String(maxWords)} are allowed.` }]
      : []),
    ...(coverage < minCoverage
      ? [
          {
            rule: 'coverage' as const,
            text: `It has ${percent(coverage)} of the key terms; ${percent(minCoverage)} are needed.`,
          },
        ]
      : []),
    ...danglingIn(text, summary).map((sentence) => ({
      rule: 'reference' as const,
      text: 'It refers to a sentence that is not in the summary.',
      sentence,
    })),
  ];
  return { passed: faults.length === 0, words: summary.words, coverage, faults: [...faults] };
}

/** Sentences that point back ("He …", "But …") without the sentence that was before them in the text. */
function danglingIn(text: ReadText, summary: ReadText): readonly string[] {
  const before = new Map(text.sentences.map((sentence, at) => [sentence.text, text.sentences[at - 1]?.text]));
  return summary.sentences
    .filter(({ text: own, pointsBack }, at) => pointsBack && before.get(own) !== summary.sentences[at - 1]?.text)
    .map(({ text: own }) => own);
}

function coverageOf(text: ReadText, summary: ReadText): number {
  const key = keyTermsOf(text.sentences);
  const present = new Set(summary.sentences.flatMap(({ terms }) => [...terms.keys()]));
  const found = key.filter((term) => present.has(term)).length;
  return key.length === 0 ? 1 : Math.round((found / key.length) * 100) / 100;
}

/** The most frequent content words; of equally frequent ones the first in the text. */
function keyTermsOf(sentences: readonly Sentence[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const [term, times] of sentences.flatMap(({ terms }) => [...terms])) {
    counts.set(term, (counts.get(term) ?? 0) + times);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.slice(0, KEY_TERMS).map(([term]) => term);
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}
