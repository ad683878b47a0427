import { jest } from '@jest/globals';

const now = performance.now.bind(performance);
let aheadMs = 0;

/**
 * Sets the monotonic clock of this process forward; timers keep their own time. `jest.restoreAllMocks()` sets it back, so what has
 * read it in between should not be used any more.
 */
export function skipTime(milliseconds: number): void {
  aheadMs += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
}
