import { describe, expect, it } from '@jest/globals';
import { MAX_ATTEMPTS, parseRetryAfter, RETRY_DELAYS_MS, RETRY_HORIZON_MS, retryDelay } from './retry-schedule.js';

const HOUR = 3_600_000;

describe(retryDelay.name, () => {
  it('has twelve attempts over 77.7 hours (A2A-PN-06)', () => {
    const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect([MAX_ATTEMPTS, Number((total / HOUR).toFixed(1))]).toEqual([12, 77.7]);
    expect(RETRY_HORIZON_MS).toBeCloseTo(total * 1.2);
    expect(retryDelay(12, 0.5)).toBeUndefined();
  });

  it('stays within a fifth of the schedule in 10,000 samples of each wait', () => {
    for (const [attempts, scheduled] of RETRY_DELAYS_MS.entries()) {
      for (let n = 0; n < 10_000; n += 1) {
        const delay = retryDelay(attempts, Math.random()) ?? Number.NaN;
        if (Math.abs(delay - scheduled) > scheduled * 0.2 + 0.5)
          throw new Error(`${String(delay)} for ${String(scheduled)}`);
      }
    }
  });

  it('spreads what failed at the same moment', () => {
    const spread = new Set(Array.from({ length: 1000 }, () => Math.floor((retryDelay(4, Math.random()) ?? 0) / 50)));
    expect(spread.size).toBeGreaterThan(500);
  });

  it('waits as long as the receiver asks, up to an hour or twice the schedule', () => {
    expect(retryDelay(1, 0.5, 20_000)).toBe(20_000);
    expect(retryDelay(1, 0.5, 24 * HOUR)).toBe(HOUR);
    expect(retryDelay(9, 0.5, 24 * HOUR)).toBe(20 * HOUR);
    expect(retryDelay(3, 0.5, 1000)).toBe(30_000);
  });
});

describe(parseRetryAfter.name, () => {
  const now = Date.parse('2026-11-21T00:00:00Z');

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 00:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 00:00:30 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
