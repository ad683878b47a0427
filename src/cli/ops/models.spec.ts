import { describe, expect, it } from '@jest/globals';
import { useText } from './models.js';

describe(useText.name, () => {
  it('shows tokens and cost of each day beside the budget of a day, where there is one', () => {
    const days = [
      { day: '2026-01-31', tokens: 1200, micros: 4_000 },
      { day: '2026-01-30', tokens: 0, micros: 0 },
    ];
    expect(useText({ days, most: { tokens: 50_000 } }).split('\n')).toEqual([
      'DAY         TOKENS         COST',
      '2026-01-31  1200 of 50000  0.0040',
      '2026-01-30  0 of 50000     0.0000',
    ]);
    expect(useText({ days, most: { micros: 2_000_000 } })).toContain('0.0040 of 2.0000');
  });
});
