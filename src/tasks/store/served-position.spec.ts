import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServedPosition } from './served-position.js';

describe(ServedPosition.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is 0 before the first reply', () => {
    expect(new ServedPosition().latest).toBe(0);
  });

  it('is the highest position of any queue', () => {
    const served = new ServedPosition();
    for (const position of [7, 12, undefined, 9]) served.observe(position);
    expect(served.latest).toBe(12);
  });

  it('starts over when no run has waited for ten seconds', () => {
    const served = new ServedPosition();
    served.observe(12);
    jest.advanceTimersByTime(9_000);
    served.observe(undefined);
    expect(served.latest).toBe(12);
    jest.advanceTimersByTime(1_000);
    expect(served.latest).toBe(0);
    served.observe(3);
    expect(served.latest).toBe(3);
  });
});
