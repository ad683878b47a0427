import { describe, expect, it } from '@jest/globals';
import { UNKNOWN_HEALTH } from '../entry/registry-entry.js';
import { afterFailure, afterSuccess, pauseAfter } from './probe-plan.js';

const HOUR = 3_600_000;

describe(afterFailure, () => {
  it('changes nothing after one failure, is failing after three, stale after a day without success', () => {
    const healthy = afterSuccess(0, { etag: '"1"' });
    const once = afterFailure(healthy, 1, 'down');
    expect(once).toMatchObject({ state: 'healthy', failures: 1, reason: 'down', etag: '"1"' });
    const thrice = afterFailure(afterFailure(once, 2, 'down'), 3, 'down');
    expect(thrice.state).toBe('failing');
    expect(afterFailure(thrice, 24 * HOUR, 'down').state).toBe('stale');
    expect(afterSuccess(1, {})).toEqual({ state: 'healthy', failures: 0, seen: 1 });
  });

  it('keeps an agent that never answered unknown, then failing', () => {
    const once = afterFailure(UNKNOWN_HEALTH, 0, 'x');
    expect(once.state).toBe('unknown');
    expect(afterFailure({ ...once, failures: 2 }, 50 * HOUR, 'x').state).toBe('failing');
  });
});

describe(pauseAfter, () => {
  it('is spread around the configured pause, and grows with failures up to an hour', () => {
    expect(pauseAfter({ state: 'healthy', failures: 0 }, 1000, 0)).toBe(900);
    expect(pauseAfter({ state: 'healthy', failures: 0 }, 1000, 1)).toBe(1100);
    expect(pauseAfter({ state: 'failing', failures: 5 }, 1000, 0.5)).toBe(4000);
    expect(pauseAfter({ state: 'failing', failures: 500 }, 1000, 0.5)).toBe(HOUR);
    expect(pauseAfter({ state: 'failing', failures: 500 }, 2 * HOUR, 0.5)).toBe(2 * HOUR);
  });
});
