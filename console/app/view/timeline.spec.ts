import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TaskDetails } from '../api/types.js';
import { axisOf, thinned } from './axis.js';
import { lanesOf, type Piece } from './timeline.js';

const at = (seconds: number): string => new Date(1_700_000_000_000 + seconds * 1_000).toISOString();

const aTask = (task: Partial<TaskDetails>): TaskDetails => ({
  ...{ id: 't', owner: 'o', tenant: 'acme', client: 'c', contextId: 'x', skill: 's', state: 'TASK_STATE_COMPLETED' },
  ...{ since: at(9), created: at(0), events: 3, turn: 1, attempts: 0, isCancelRequested: false, runs: [], steps: [] },
  bytes: { messages: 1, results: 1 },
  ...task,
});

const lanes = (task: Partial<TaskDetails>): Readonly<Record<string, readonly string[]>> => {
  const drawn = lanesOf({ task: aTask(task), events: [], tree: undefined, webhooks: undefined });
  return Object.fromEntries(drawn.map(({ name, pieces }) => [name, pieces.map(({ more }) => more)]));
};

describe(lanesOf, () => {
  it('names each wait by its reason: in line, an answer, a child, the next attempt', () => {
    const worker = '0123456789';
    const runs = [
      { turn: 1, attempt: 1, worker, begun: at(1), ended: at(2), how: 'input-required' },
      { turn: 2, attempt: 1, worker, begun: at(4), ended: at(5), how: 'lost' },
      { turn: 2, attempt: 2, worker, begun: at(6), ended: at(7), how: 'parked' },
      { turn: 2, attempt: 1, worker, begun: at(8), ended: at(9), how: 'completed' },
    ];
    expect(lanes({ runs }).Waits).toEqual([
      ...['in line for 1.0 s', 'for an answer for 2.0 s', 'for the next attempt for 1.0 s', 'parked for 1.0 s'],
    ]);
  });

  it('extends the wait of an open task until now, and has no wait while a run has it', () => {
    expect(lanes({ state: 'TASK_STATE_SUBMITTED' }).Waits).toEqual(['in line until now']);
    const runs = [{ turn: 1, attempt: 1, worker: 'w', begun: at(0) }];
    expect(lanes({ state: 'TASK_STATE_WORKING', runs })).toEqual({ Runs: [expect.stringContaining('still running')] });
  });
});

describe(axisOf, () => {
  const piece = fc
    .record({ from: fc.integer({ min: 0, max: 1e7 }), length: fc.integer({ min: 0, max: 1e6 }), isWait: fc.boolean() })
    .map(({ from, length, isWait }): Piece => {
      return { key: 'k', text: '', more: '', from, to: from + length, tone: isWait ? 'wait' : 'working' };
    });

  it('keeps the order of times and stays within the axis, whatever it shortens', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), fc.boolean(), (pieces, collapses) => {
        const axis = axisOf(pieces, 1e7, collapses);
        const times = pieces.flatMap(({ from, to = 0 }) => [from, to]).sort((one, other) => one - other);
        const positions = times.map((time) => axis.at(time));
        for (const position of positions) expect(position).toBeGreaterThanOrEqual(0);
        for (const position of positions) expect(position).toBeLessThanOrEqual(100);
        positions.forEach((position, index) => {
          expect(position).toBeGreaterThanOrEqual((positions[index - 1] ?? 0) - 1e-6);
        });
      }),
    );
  });

  it('shortens a long time in which nothing happened, and says how long it was', () => {
    const pieces: readonly Piece[] = [0, 100_000].map((from) => {
      return { key: String(from), text: '', more: '', from, to: from + 1_000, tone: 'working' };
    });
    expect(axisOf(pieces, 0, true).gaps).toHaveLength(1);
    expect(axisOf(pieces, 0, true).at(1_000)).toBeGreaterThan(30);
    expect(axisOf(pieces, 0, false).gaps).toEqual([]);
  });

  it('has times along the axis where most of it is shortened (C-11)', () => {
    const pieces: readonly Piece[] = [0, 100_000, 200_000, 300_000].map((from) => {
      return { key: String(from), text: '', more: '', from, to: from + 1_000, tone: 'working' };
    });
    const { ticks, gaps } = axisOf(pieces, 0, true);
    expect(ticks.length).toBeGreaterThanOrEqual(4);
    expect(ticks.map(({ at }) => at)).toEqual(ticks.map(({ at }) => at).sort((one, other) => one - other));
    for (const { at } of ticks) expect(gaps.some(({ from, to }) => at > from && at < to)).toBe(false);
  });
});

describe(thinned, () => {
  const moment = (from: number, isFailure = false): Piece => ({
    ...{ key: String(from), text: 'Working', more: `Event ${String(from)}`, from, to: from, isMoment: true, isFailure },
    tone: isFailure ? 'failed' : 'working',
  });

  it('draws one mark for moments at one position, keeps all failures, and loses none of them', () => {
    const pieces = Array.from({ length: 1_000 }, (_unused, from) => moment(from, from % 250 === 249));
    const drawn = thinned({ name: 'States', pieces }, { at: (time) => time / 10 }).pieces;
    expect(drawn.length).toBeLessThan(260);
    expect(drawn.filter(({ isFailure = false }) => isFailure)).toHaveLength(4);
    expect(drawn.reduce((sum, { further = 0 }) => sum + 1 + further, 0)).toBe(1_000);
  });
});
