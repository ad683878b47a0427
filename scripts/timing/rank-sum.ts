/** How two samples of times compare. */
export interface Comparison {
  /** How often a time of the second sample is longer than one of the first; 0.5 when they are alike. */
  readonly longer: number;
  /** How many standard deviations that is away from 0.5, were both samples drawn from the same times. */
  readonly z: number;
}

/**
 * Beyond this |z| two samples are distinguished: nine comparisons of equals together pass it once in a hundred times
 * (Bonferroni).
 */
export const DISTINGUISHABLE = 3.26;

/**
 * Compares by ranks (Mann and Whitney, 1947; ties share their rank). Ranks, because the times of calls have a long tail
 * that would drown a difference in means, and because an observer could use just this: that one kind of call
 * tends to be slower. Samples of equal chances, some hundreds each, since z is an approximation.
 */
export function compare(first: readonly number[], second: readonly number[]): Comparison {
  const all = [...first.map((time) => ({ time, second: 0 })), ...second.map((time) => ({ time, second: 1 }))];
  all.sort((a, b) => a.time - b.time);
  let [ranks, ties] = [0, 0];
  for (let begin = 0; begin < all.length;) {
    let end = begin;
    while (end < all.length && all[end]?.time === all[begin]?.time) end += 1;
    const tied = end - begin;
    const ofSecond = all.slice(begin, end).reduce((sum, item) => sum + item.second, 0);
    ranks += ofSecond * ((begin + 1 + end) / 2);
    ties += tied ** 3 - tied;
    begin = end;
  }
  const [m, n, total] = [first.length, second.length, all.length];
  const longer = (ranks - (n * (n + 1)) / 2) / (m * n);
  const deviation = Math.sqrt((total + 1 - ties / (total * (total - 1))) / (12 * m * n));
  return { longer, z: deviation === 0 ? 0 : (longer - 0.5) / deviation };
}
