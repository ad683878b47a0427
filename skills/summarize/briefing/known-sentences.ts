import { similarity, type Vector } from '../vector.js';

/** Two sentences that are more alike say the same. */
const SAME = 0.6;
/** Terms of a sentence by which others are found: its most specific ones. */
const MAX_TELLING = 8;
/** Sentences that are compared for each of its terms: a frequent term says little. */
const MAX_COMPARED = 32;

/** Sentences that were read, found by their meaning. */
export interface KnownSentences<T> {
  /** Value of a sentence that says the same; undefined where there is none. */
  find(text: string, vector: Vector): T | undefined;
  add(text: string, vector: Vector, value: T): void;
}

/** Finds a sentence in constant time: by its text, else by its most specific terms. */
export function knownSentences<T>(): KnownSentences<T> {
  const byText = new Map<string, T>();
  const byTerm = new Map<string, { readonly vector: Vector; readonly value: T }[]>();
  return {
    find(text, vector) {
      const same = byText.get(text);
      if (same !== undefined) return same;
      for (const term of telling(vector)) {
        const alike = byTerm.get(term)?.find((other) => similarity(other.vector, vector) >= SAME);
        if (alike !== undefined) return alike.value;
      }
      return undefined;
    },
    add(text, vector, value) {
      byText.set(text, value);
      for (const term of telling(vector)) {
        const others = byTerm.get(term);
        if (others === undefined) byTerm.set(term, [{ vector, value }]);
        else if (others.length < MAX_COMPARED) others.push({ vector, value });
      }
    },
  };
}

function telling(vector: Vector): readonly string[] {
  const terms = [...vector].sort(([, one], [, other]) => other - one);
  return terms.slice(0, MAX_TELLING).map(([term]) => term);
}
