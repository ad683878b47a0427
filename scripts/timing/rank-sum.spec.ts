import { describe, expect, it } from '@jest/globals';
import { compare, DISTINGUISHABLE } from './rank-sum.js';

/** Times as calls have them: 1 ms and a long tail; the same ones for the same seed. */
function times(count: number, seed: number, more = 0): number[] {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state + 1) / (2 ** 31 + 1);
  };
  return Array.from({ length: count }, () => 1 + more - 0.2 * Math.log(random()) + (random() < 0.01 ? 20 : 0));
}

describe(compare.name, () => {
  it('gives the results of a count by hand', () => {
    expect(compare([1, 2, 3], [4, 5, 6])).toMatchObject({ longer: 1, z: expect.closeTo(1.964, 3) });
    expect(compare([1, 3, 5], [2, 4, 6]).longer).toBeCloseTo(6 / 9);
    expect(compare([1, 1, 2], [1, 2, 2])).toMatchObject({ longer: 6 / 9, z: expect.closeTo(0.745, 3) });
    expect(compare([1, 1], [1, 1])).toEqual({ longer: 0.5, z: 0 });
  });

  it('changes its sign with its sides', () => {
    const [a, b] = [times(500, 1), times(500, 2)];
    expect(compare(a, b).z).toBeCloseTo(-compare(b, a).z);
  });

  it('takes 99 of 100 pairs of equals for equals', () => {
    const alarms = Array.from({ length: 200 }, (_, at) => compare(times(500, 2 * at + 1), times(500, 2 * at + 2)).z);
    expect(alarms.filter((z) => Math.abs(z) > DISTINGUISHABLE).length).toBeLessThanOrEqual(2);
  });

  it('finds 30 µs in calls of 1 ms with outliers of 20 ms, by 2,000 samples', () => {
    for (let seed = 1; seed < 20; seed += 2) {
      expect(compare(times(2_000, seed), times(2_000, seed + 1, 0.03)).z).toBeGreaterThan(DISTINGUISHABLE);
    }
  });
});
