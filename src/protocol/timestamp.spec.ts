import { describe, expect, it } from '@jest/globals';
import { readTimestamp, timestampWriter } from './timestamp.js';

describe(readTimestamp.name, () => {
  it.each([
    ['2026-01-31T12:00:00Z', 1769860800000],
    ['2026-01-31T12:00:00.123456789Z', 1769860800123],
    ['2026-01-31t14:00:00.5+02:00', 1769860800500],
    ['2024-02-29T00:00:00-00:00', 1709164800000],
    ['0001-01-01T00:00:00Z', -62135596800000],
    ['9999-12-31T23:59:59Z', 253402300799000],
  ])('A2A-JSON-03: reads %s', (text, ms) => {
    expect(readTimestamp(text)).toBe(ms);
  });

  it.each([
    '2020-W01-1',
    '20260101',
    '2026-123',
    '2026-01-31',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+25:00',
    '2026-01-31T12:00:00.1234567890Z',
    '+012026-01-31T12:00:00Z',
    '0000-01-01T00:00:00Z',
    'now',
    '',
  ])('A2A-LIST-10: refuses %j (L1, D10)', (text) => {
    expect(readTimestamp(text)).toBeUndefined();
  });
});

describe(timestampWriter.name, () => {
  it('writes each time that it is given, the same one again too', () => {
    const write = timestampWriter();
    const times = [-1, 0, 1769860800123, 1769860800123, 0];
    expect(times.map(write)).toEqual(times.map((ms) => new Date(ms).toISOString()));
  });
});
