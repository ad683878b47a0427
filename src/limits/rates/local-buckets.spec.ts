import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LocalBuckets } from './local-buckets.js';
import type { Rate } from './rate.js';

const rate: Rate = { name: 'write', limit: 60, periodSeconds: 60, burst: 10 };

describe(LocalBuckets.name, () => {
  it('spends the burst, then one unit per interval', () => {
    let now = 1_000_000;
    const buckets = new LocalBuckets(() => now);
    const spend = (cost = 1): boolean => buckets.spend('k', rate, cost).isAllowed;
    expect(Array.from({ length: 11 }, () => spend()).filter(Boolean)).toHaveLength(10);
    now += 999;
    expect(spend()).toBe(false);
    now += 1;
    expect([spend(), spend()]).toEqual([true, false]);
  });

  it('returns the remaining units and the time of the next retry', () => {
    const buckets = new LocalBuckets(() => 0);
    expect(buckets.spend('k', rate, 5)).toMatchObject({ remaining: 5, resetSeconds: 5, retryAfterSeconds: 0 });
    expect(buckets.spend('k', rate, 8)).toMatchObject({ isAllowed: false, remaining: 5, retryAfterSeconds: 3 });
    expect(buckets.spend('other', rate, 5)).toMatchObject({ remaining: 5 });
  });

  it('never exceeds the rate and the burst, whatever the pattern of calls (A2A-SEC-05)', () => {
    const calls = fc.array(fc.record({ pause: fc.nat(3_000), cost: fc.integer({ min: 1, max: 10 }) }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(calls, (list) => {
        let now = 5_000;
        let spent = 0;
        const buckets = new LocalBuckets(() => now);
        for (const { pause, cost } of list) {
          now += pause;
          if (buckets.spend('k', rate, cost).isAllowed) spent += cost;
          expect(spent).toBeLessThanOrEqual(rate.burst + (now - 5_000) / 1_000 + 1e-6);
        }
      }),
    );
  });
});
