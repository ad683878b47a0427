import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServedPlace } from './served-place.js';

describe(ServedPlace.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is 0 before anything was heard', () => {
    expect(new ServedPlace().latest).toBe(0);
  });

  it('is the furthest that any line has come', () => {
    const served = new ServedPlace();
    for (const place of [7, 12, undefined, 9]) served.hear(place);
    expect(served.latest).toBe(12);
  });

  it('begins anew when nobody has waited for ten seconds', () => {
    const served = new ServedPlace();
    served.hear(12);
    jest.advanceTimersByTime(9_000);
    served.hear(undefined);
    expect(served.latest).toBe(12);
    jest.advanceTimersByTime(1_000);
    expect(served.latest).toBe(0);
    served.hear(3);
    expect(served.latest).toBe(3);
  });
});
