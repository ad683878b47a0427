import { describe, expect, it } from '@jest/globals';
import { byDeadline } from './open-approvals.js';

describe(byDeadline, () => {
  it('orders by the nearest deadline, then questions without one by age', () => {
    const soon = { asked: '2026-01-03T00:00:00Z', expires: '2026-01-04T00:00:00Z' };
    const later = { asked: '2026-01-01T00:00:00Z', expires: '2026-02-01T00:00:00Z' };
    const old = { asked: '2026-01-01T00:00:00Z' };
    const young = { asked: '2026-01-02T00:00:00Z' };
    expect([young, later, old, soon].sort(byDeadline)).toEqual([soon, later, old, young]);
  });
});
