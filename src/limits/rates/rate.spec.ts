import { describe, expect, it } from '@jest/globals';
import { checkRate, perMinute } from './rate.js';

describe(perMinute.name, () => {
  it('reads units per minute and burst', () => {
    expect(perMinute('write', '3000/1000')).toEqual({ name: 'write', limit: 3_000, periodSeconds: 60, burst: 1_000 });
  });
});

describe(checkRate.name, () => {
  it('names the variable of a rate below the cost of a single call', () => {
    expect(() => {
      checkRate(perMinute('write', '3000/4'), 5);
    }).toThrow('RATE_WRITE: the second number must be 5 or more');
    expect(() => {
      checkRate(perMinute('write', '3000/5'), 5);
    }).not.toThrow();
  });
});
