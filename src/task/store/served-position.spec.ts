import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServedPosition } from './served-position.js';

describe(ServedPosition.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is 0 before anything was heard', () => {
    expect(new ServedPosition().latest).toBe(0);
  });

  it('is the furthest that any line has come', () => {
    const served = new ServedPosition();
    for (const position of [7, 12, undefined, 9]) served.observe(position);
    expect(served.latest).toBe(12);
  });

  it('begins anew when nobody has waited for ten seconds', () => {
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
