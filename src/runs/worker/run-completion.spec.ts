import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import type { SweepStore } from '../../tasks/store/sweep.store.js';
import type { TaskStore } from '../../tasks/store/task.store.js';
import type { TaskOptions } from '../../tasks/task.options.js';
import type { RunQueue } from '../queue/run.queue.js';
import type { TurnResult } from '../turn/skill-turn.js';
import { RunCompletion } from './run-completion.js';

const aRun = (facts: Partial<ClaimedRun> = {}): ClaimedRun =>
  ({ taskId: 't', fence: 3, attempt: 1, ...facts }) as unknown as ClaimedRun;

/** The steps that were asked for, in order. */
let steps: unknown[];
let confirm: () => Promise<void>;
/** Whether the run still held its task when it was released. */
let isHeld: boolean;
let completion: RunCompletion;

beforeEach(() => {
  [steps, isHeld, confirm] = [[], true, () => Promise.resolve()];
  const ask = <T>(reply: T, ...step: unknown[]): Promise<T> => {
    steps.push(step);
    return Promise.resolve(reply);
  };
  completion = new RunCompletion(
    {
      release: (_run: ClaimedRun, how: string, ms: number) => ask(isHeld ? 4 : undefined, 'release', how, ms),
    } as unknown as RunStore,
    { settle: (...what: unknown[]) => ask('ended', 'settle', ...what) } as unknown as SweepStore,
    { wake: (runs = 1) => steps.push(['wake', runs]) } as unknown as RunQueue,
    { cancelGraceMs: 0, maxAttempts: 3 } as TaskOptions,
    { confirm: () => confirm() } as unknown as TaskStore,
  );
});

describe(RunCompletion.name, () => {
  it.each([
    [1, '1 s', 1_000],
    [2, '2 s', 2_000],
    [4, '8 s', 8_000],
  ])('repeats a run that threw at attempt %i after %s, by the sweep', async (attempt, _text, ms) => {
    expect(await completion.after(aRun({ attempt }), { kind: 'threw', error: new Error('x') })).toBe('retry');
    expect(steps).toEqual([['release', 'broken', ms]]);
  });

  it('gives a skill its own attempts, or those of the service, and charges it with no lost run (I17)', () => {
    expect(completion.mayRetry(aRun({ attempt: 2 }), undefined)).toBe(true);
    expect(completion.mayRetry(aRun({ attempt: 3 }), undefined)).toBe(false);
    expect(completion.mayRetry(aRun({ attempt: 3, losses: 1 }), undefined)).toBe(true);
    expect(completion.mayRetry(aRun({ attempt: 3 }), 4)).toBe(true);
    expect(completion.mayRetry(aRun({ attempt: 1 }), 1)).toBe(false);
  });

  it('hands the run of a leaving process over at once, and wakes another one if it still held the task', async () => {
    const leaving: TurnResult = { kind: 'stopped', reason: 'leaving' };
    expect(await completion.after(aRun(), leaving)).toBe('leaving');
    expect(steps).toEqual([
      ['release', 'handed-over', 0],
      ['wake', 1],
    ]);
    [isHeld, steps] = [false, []];
    await completion.after(aRun(), leaving);
    expect(steps).toEqual([['release', 'handed-over', 0]]);
  });

  it('ends a canceled task, and writes nothing for a run that another has taken over (I3)', async () => {
    expect(await completion.after(aRun(), { kind: 'stopped', reason: 'canceled' })).toBe('canceled');
    expect(await completion.after(aRun(), { kind: 'stopped', reason: 'lost' })).toBe('lost');
    expect(await completion.after(aRun(), { kind: 'parked' })).toBe('parked');
    expect(steps).toEqual([['settle', 't', 3, 'TASK_STATE_CANCELED']]);
  });

  it('wakes as many workers as the end of a turn has made runs', async () => {
    expect(await completion.after(aRun(), { kind: 'committed', seq: 9, runs: 2 })).toBe('committed');
    expect(await completion.after(aRun(), { kind: 'next-turn', fence: 4, position: 1 })).toBe('next-turn');
    expect(await completion.after(aRun(), { kind: 'committed', seq: 9 })).toBe('committed');
    expect(steps).toEqual([
      ['wake', 2],
      ['wake', 1],
    ]);
  });

  it('says that replicas lack the end of a turn, and throws what is no outage', async () => {
    confirm = () => Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    expect(await completion.after(aRun(), { kind: 'committed', seq: 9 })).toBe('not-replicated');
    confirm = () => Promise.reject(new TypeError('a fault'));
    await expect(completion.after(aRun(), { kind: 'committed', seq: 9 })).rejects.toThrow('a fault');
  });
});
