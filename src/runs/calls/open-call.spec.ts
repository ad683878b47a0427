import { describe, expect, it } from '@jest/globals';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import type { NewChild } from '../../tasks/tree/tree.store.js';
import { isLost, type OpenGroup, partsOf, refused, transfersTo, undoEntries } from './open-call.js';

const group = (children: number, failed: number, mostFailed: number): OpenGroup =>
  ({ group: { children, refused: failed, mostFailed } }) as unknown as OpenGroup;

describe(isLost.name, () => {
  it.each([
    ['all calls were refused', 0, 3, 0, true],
    ['none may fail and one was refused', 2, 1, 1, true],
    ['fewer were refused than may fail', 2, 1, 2, false],
    ['the failures of calls are no end of it', 2, 1, 0, false],
    ['none was refused', 3, 0, 1, false],
  ])('where %s', (_why, children, failed, mostFailed, isSettled) => {
    expect(isLost(group(children, failed, mostFailed))).toBe(isSettled);
  });
});

describe(partsOf.name, () => {
  it('makes a text, a data part, or the given parts', () => {
    expect(partsOf('hi')).toEqual([{ text: 'hi' }]);
    expect(partsOf({ a: 1 })).toEqual([{ data: { a: 1 } }]);
    expect(partsOf([{ text: 'a' }, { data: 1 }])).toEqual([{ text: 'a' }, { data: 1 }]);
  });
});

describe(undoEntries.name, () => {
  it('has the compensations of children that were made, by the place of their call', () => {
    const child = (key: string): NewChild => ({ id: `id-${key}`, tree: { key } }) as unknown as NewChild;
    const undo = { skillId: 'refund', input: 'x' };
    const calls = [
      { child: child('a'), until: undefined, undo },
      refused('scope', 'no'),
      { child: child('b'), until: undefined },
      { child: child('c'), until: undefined, undo },
      { child: child('d'), until: undefined, undo },
    ];
    const groups = [{ number: 4, calls } as unknown as OpenGroup];
    const made = ['a', 'b', 'd'].map(child);
    const texts = undoEntries(2, groups, made).map((entry) => JSON.stringify(entry));
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('id-a');
    expect(texts[1]).toContain('id-d');
  });
});

describe(transfersTo.name, () => {
  const run = (skillId: string, text: string, transfers?: ClaimedRun['transfers']): ClaimedRun =>
    ({ skillId, transfers, messages: [{ parts: [{ text }] }] }) as unknown as ClaimedRun;

  it('has the way from the first skill, and refuses as a loop the third hand-over of the same input to a skill', () => {
    const first = transfersTo(run('desk', 'help'), 'billing', 'which bill');
    if (typeof first === 'string') throw new Error(first);
    expect(first.map(({ skill }) => skill)).toEqual(['desk', 'billing']);
    const back = transfersTo(run('billing', 'which bill', first), 'desk', 'help');
    if (typeof back === 'string') throw new Error(back);
    expect(back).toHaveLength(3);
    expect(transfersTo(run('desk', 'help', back), 'desk', 'help me')).toHaveLength(4);
    expect(transfersTo(run('desk', 'help', back), 'desk', 'help')).toBe('transfer loop desk→desk');
  });
});
