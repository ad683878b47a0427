import { describe, expect, it } from '@jest/globals';
import { PREPAID_MS, PrepaidCalls } from './prepaid-calls.js';

const BALANCE = { unitsLeft: 3, resetMicros: 7 };

function asked(prepaid: PrepaidCalls, count: number, at: number): boolean[] {
  return Array.from({ length: count }, () => prepaid.take(at));
}

describe(PrepaidCalls.name, () => {
  it('wants nothing for a caller that calls now and then', () => {
    const prepaid = new PrepaidCalls();
    for (let at = 0; at < 100; at += 1) prepaid.take(at * 20);
    expect(prepaid.wanted).toBe(0);
  });

  it('wants half of what a busy caller has asked for of late, and nothing after a rest', () => {
    const prepaid = new PrepaidCalls();
    asked(prepaid, 40, 10);
    expect(prepaid.wanted).toBe(20);
    asked(prepaid, 1, 110);
    expect(prepaid.wanted).toBe(20);
    asked(prepaid, 1, 310);
    expect(prepaid.wanted).toBe(0);
  });

  it('gives each prepaid call once, and none when its time is over', () => {
    const prepaid = new PrepaidCalls();
    prepaid.add(2, BALANCE, 500);
    expect(asked(prepaid, 3, 501)).toEqual([true, true, false]);
    prepaid.add(2, BALANCE, 500);
    expect([prepaid.take(500 + PREPAID_MS - 1), prepaid.take(500 + PREPAID_MS)]).toEqual([true, false]);
    expect(prepaid.remaining).toBe(1);
  });
});
