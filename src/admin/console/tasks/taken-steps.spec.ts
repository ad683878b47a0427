import { describe, expect, it } from '@jest/globals';
import type { JournalEntry } from '../../../tasks/record/journal-entries.js';
import { stepsBefore } from './taken-steps.js';

const JOURNAL: readonly JournalEntry[] = [
  ['2:pay', JSON.stringify({ at: 50, ms: 5, seq: 9, value: 'paid' })],
  ['1:write', JSON.stringify({ at: 30, ms: 7, seq: 4, value: { pages: 3 } })],
  ['1#1', '{"call":"step plan"}'],
  ['1:plan', JSON.stringify({ at: 10, ms: 2, seq: 2, value: ['a', 'b'] })],
];
const NEW = { of: 'f00', now: 1_000 };

describe(stepsBefore.name, () => {
  it('takes over the steps that began before the named one, in their order, and omits the others', () => {
    const found = stepsBefore(JOURNAL, { turn: 1, name: 'write' }, NEW);
    expect(found?.taken).toEqual([{ turn: 1, name: 'plan' }]);
    expect(found?.live).toEqual([
      { turn: 1, name: 'write' },
      { turn: 2, name: 'pay' },
    ]);
    expect(found?.entries).toEqual([
      ['1:plan', JSON.stringify({ at: 1_000, ms: 0, seq: 1, of: 'f00', value: ['a', 'b'] })],
    ]);
  });

  it('takes over all steps of earlier turns, whatever their times', () => {
    expect(stepsBefore(JOURNAL, { turn: 2, name: 'pay' }, NEW)?.entries.map(([field]) => field)).toEqual([
      '1:plan',
      '1:write',
    ]);
  });

  it('finds no unfinished step', () => {
    expect(stepsBefore(JOURNAL, { turn: 1, name: 'pay' }, NEW)).toBeUndefined();
  });

  it('keeps a step without a value as one', () => {
    const journal: readonly JournalEntry[] = [
      ['1:wait', '{"at":1,"ms":1,"seq":1}'],
      ['1:end', '{"at":2,"ms":1,"seq":1,"value":1}'],
    ];
    const [entry] = stepsBefore(journal, { turn: 1, name: 'end' }, NEW)?.entries ?? [];
    expect(JSON.parse(entry?.[1] ?? '')).toEqual({ at: 1_000, ms: 0, seq: 1, of: 'f00' });
  });
});
