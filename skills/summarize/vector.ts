import type { Slices } from '@parley/sdk';

/** A sentence's words weighted by their specificity (TF-IDF), scaled to length 1. */
export type Vector = ReadonlyMap<string, number>;

/** Weighs each document's terms against all documents. */
export async function tfIdf(
  documents: readonly ReadonlyMap<string, number>[],
  slices: Slices,
): Promise<readonly Vector[]> {
  const documentsWith = new Map<string, number>();
  for (const terms of documents) {
    for (const term of terms.keys()) {
      documentsWith.set(term, (documentsWith.get(term) ?? 0) + 1);
    }
    await slices.pause();
  }
  const vectors: Vector[] = [];
  for (const terms of documents) {
    vectors.push(weighted(terms, (term) => Math.log(1 + documents.length / (documentsWith.get(term) ?? 1))));
    await slices.pause();
  }
  return vectors;
}

function weighted(terms: ReadonlyMap<string, number>, rarityOf: (term: string) => number): Vector {
  const weights = [...terms].map(([term, times]): [string, number] => [term, (1 + Math.log(times)) * rarityOf(term)]);
  const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0));
  return new Map(weights.map(([term, weight]) => [term, weight / length]));
}

/** Cosine of two vectors of length 1: 0 = nothing in common, 1 = the same. */
export function similarity(one: Vector, other: Vector): number {
  const [small, large] = one.size <= other.size ? [one, other] : [other, one];
  let sum = 0;
  for (const [term, weight] of small) {
    sum += weight * (large.get(term) ?? 0);
  }
  return sum;
}
