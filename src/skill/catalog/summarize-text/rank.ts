import { setImmediate as breathe } from 'node:timers/promises';
import { similarity, type Vector } from './vector.js';

/** PageRank's usual share of rank that flows along edges. */
const DAMPING = 0.85;
const MOST_ROUNDS = 50;
const SETTLED = 1e-5;
/** Weaker likenesses are noise of common words and only slow the ranking. */
const WEAKEST_EDGE = 0.05;
/** How long one stretch may hold the process that other requests share. */
const STRETCH_MS = 10;

type Edges = readonly (readonly [neighbour: number, weight: number])[];

/**
 * TextRank (Mihalcea and Tarau, 2004): a sentence matters when sentences that matter are like it. Gives one rank a
 * sentence, in proportion to the best, 0 … 1. Lets other work run in between; throws the signal's reason on abort.
 */
export async function textRank(vectors: readonly Vector[], signal: AbortSignal): Promise<readonly number[]> {
  const edges = await likenesses(vectors, signal);
  const strengths = edges.map((row) => row.reduce((sum, [, weight]) => sum + weight, 0));
  let ranks: readonly number[] = vectors.map(() => 1);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = nextRanks(edges, strengths, ranks);
    const change = next.reduce((most, rank, index) => Math.max(most, Math.abs(rank - (ranks[index] ?? 0))), 0);
    ranks = next;
    if (change < SETTLED) {
      break;
    }
    await breathe(undefined, { signal });
  }
  const best = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  return ranks.map((rank) => (best === 0 ? 0 : rank / best));
}

function nextRanks(edges: readonly Edges[], strengths: readonly number[], ranks: readonly number[]): readonly number[] {
  return edges.map((row) => {
    const received = row.reduce((sum, [from, weight]) => {
      const strength = strengths[from] ?? 0;
      return strength === 0 ? sum : sum + (weight / strength) * (ranks[from] ?? 0);
    }, 0);
    return 1 - DAMPING + DAMPING * received;
  });
}

async function likenesses(vectors: readonly Vector[], signal: AbortSignal): Promise<readonly Edges[]> {
  const edges: [number, number][][] = vectors.map(() => []);
  let stretchEnds = Date.now() + STRETCH_MS;
  for (const [index, vector] of vectors.entries()) {
    for (let other = 0; other < index; other++) {
      const weight = similarity(vector, vectors[other] ?? new Map<string, number>());
      if (weight >= WEAKEST_EDGE) {
        edges[index]?.push([other, weight]);
        edges[other]?.push([index, weight]);
      }
    }
    if (Date.now() >= stretchEnds) {
      await breathe(undefined, { signal });
      stretchEnds = Date.now() + STRETCH_MS;
    }
  }
  return edges;
}
