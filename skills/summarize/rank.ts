import type { Slices } from '@parley/sdk';
import type { Vector } from './vector.js';

/** PageRank's usual share of rank that flows along edges. */
const DAMPING = 0.85;
const MAX_ROUNDS = 50;
const SETTLED = 1e-5;
/** Lower bound of the summed likeness of a sentence that resembles any other; less is rounding. */
const ALONE = 1e-9;

/** A vector's terms as numbers, so that sums over all sentences are sums over arrays. */
interface Row {
  readonly terms: Int32Array;
  readonly weights: Float64Array;
}

/**
 * TextRank (Mihalcea and Tarau, 2004): a sentence matters when sentences that matter are like it. Gives one rank a
 * sentence, in proportion to the best, 0 … 1. Likeness is the product of two vectors, so the rank that flows to a
 * sentence is a sum over its terms: a round costs the words of the text, not the square of its sentences.
 * Throws the signal's reason on abort.
 */
export async function textRank(vectors: readonly Vector[], slices: Slices): Promise<readonly number[]> {
  const { rows, termCount } = await rowsOf(vectors, slices);
  const ones = rows.map(() => 1);
  const strengths = received(rows, ones, termCount);
  let ranks: readonly number[] = ones;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const shares = ranks.map((rank, index) => shareOf(rank, strengths[index] ?? 0));
    const next = received(rows, shares, termCount).map((rank) => 1 - DAMPING + DAMPING * rank);
    const change = next.reduce((most, rank, index) => Math.max(most, Math.abs(rank - (ranks[index] ?? 0))), 0);
    ranks = next;
    if (change < SETTLED) {
      break;
    }
    await slices.pause();
  }
  const best = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  return ranks.map((rank) => (best === 0 ? 0 : rank / best));
}

function shareOf(rank: number, strength: number): number {
  return strength < ALONE ? 0 : rank / strength;
}

/** Share that each sentence gets from all others when each distributes `gifts` in proportion to their likeness. */
function received(rows: readonly Row[], gifts: readonly number[], termCount: number): readonly number[] {
  const flow = new Float64Array(termCount);
  rows.forEach(({ terms, weights }, index) => {
    const gift = gifts[index] ?? 0;
    terms.forEach((term, at) => {
      flow[term] = (flow[term] ?? 0) + gift * (weights[at] ?? 0);
    });
  });
  return rows.map(({ terms, weights }, index) => {
    const all = terms.reduce((sum, term, at) => sum + (flow[term] ?? 0) * (weights[at] ?? 0), 0);
    // A sentence is like itself by 1 (or, without a content word, by 0), and gives itself nothing.
    return Math.max(0, all - (terms.length === 0 ? 0 : (gifts[index] ?? 0)));
  });
}

async function rowsOf(
  vectors: readonly Vector[],
  slices: Slices,
): Promise<{ readonly rows: readonly Row[]; readonly termCount: number }> {
  const ids = new Map<string, number>();
  const rows: Row[] = [];
  for (const vector of vectors) {
    const terms = Int32Array.from(vector.keys(), (term) => idOf(term, ids));
    rows.push({ terms, weights: Float64Array.from(vector.values()) });
    await slices.pause();
  }
  return { rows, termCount: ids.size };
}

function idOf(term: string, ids: Map<string, number>): number {
  const known = ids.get(term);
  if (known !== undefined) return known;
  ids.set(term, ids.size);
  return ids.size - 1;
}
