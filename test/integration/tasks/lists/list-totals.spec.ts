import { describe, expect, it } from '@jest/globals';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { TaskIndex } from '../../../../src/tasks/lists/task-index.js';
import { useTaskStores } from '../../../kit/tasks/store-suite.js';
import { done, OWNER } from '../../../kit/tasks/task-stores.js';

const CONTEXT = 'a-context';

describe(`${TaskIndex.name}: totals`, () => {
  const stores = useTaskStores();

  /** Leaves tasks in this state. */
  async function leave(state: TaskState, count: number, contextId: string | undefined): Promise<void> {
    const named = contextId === undefined ? {} : { contextId };
    for (let at = 0; at < count; at += 1) {
      if (state === 'TASK_STATE_REJECTED') {
        await stores.now.submitted({ ...named, routing: { rejection: 'no' } });
        continue;
      }
      const { id, fence } = await stores.now.submitted(named);
      if (state === 'TASK_STATE_SUBMITTED') continue;
      if (state === 'TASK_STATE_CANCELED') {
        await stores.now.tasks.cancel(OWNER, id);
        continue;
      }
      const run = await stores.now.claimed(id, fence);
      if (state === 'TASK_STATE_WORKING') continue;
      await stores.now.runs.commit(run, run.seq, [{ kind: 'status', state }]);
    }
  }

  async function totals(contextId: string | undefined): Promise<Record<string, number>> {
    const lists = TASK_STATES.map(async (state) => {
      const { total, tasks } = await stores.now.index.list(OWNER, { state, contextId }, { limit: 100 });
      // All are on the first page.
      expect([state, tasks.length]).toEqual([state, total]);
      return [state, total] as const;
    });
    return Object.fromEntries(await Promise.all(lists));
  }

  it('are exact for each state, of an owner and of a context', async () => {
    for (const [at, state] of TASK_STATES.entries()) {
      await leave(state, at + 1, CONTEXT);
      await leave(state, 1, undefined);
    }
    const ofContext = Object.fromEntries(TASK_STATES.map((state, at) => [state, at + 1]));
    expect(await totals(CONTEXT)).toEqual(ofContext);
    expect(await totals(undefined)).toEqual(Object.fromEntries(TASK_STATES.map((state, at) => [state, at + 2])));
  }, 60_000);

  it('follow a task through its states, and count only what is as young as was asked for', async () => {
    const run = await stores.now.waiting({ contextId: CONTEXT });
    const message = { messageId: 'm2', taskId: run.taskId, role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const total = async (state: TaskState, since?: number): Promise<number> =>
      (await stores.now.index.list(OWNER, { state, contextId: CONTEXT, since }, { limit: 10 })).total;
    expect(await total('TASK_STATE_INPUT_REQUIRED')).toBe(1);
    expect(await total('TASK_STATE_INPUT_REQUIRED', Date.now() + 60_000)).toBe(0);
    expect(await total('TASK_STATE_SUBMITTED', 0)).toBe(0);
    await stores.now.tasks.resume(OWNER, message, 'h');
    expect([await total('TASK_STATE_INPUT_REQUIRED'), await total('TASK_STATE_WORKING')]).toEqual([0, 1]);
    const outcome = await stores.now.runs.claim(run.taskId, 'any', 'worker');
    if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
    await stores.now.runs.commit(outcome.run, outcome.run.seq, [done]);
    expect([await total('TASK_STATE_WORKING'), await total('TASK_STATE_COMPLETED')]).toEqual([0, 1]);
    await stores.now.sweeps.purge(run.taskId, 'finished');
    expect(await total('TASK_STATE_COMPLETED')).toBe(0);
  }, 30_000);

  it('read no task: a list of any state costs the same for ten tasks as for a thousand', async () => {
    const readsOf = async (state: TaskState): Promise<number> => {
      await stores.now.redis.config('RESETSTAT');
      await stores.now.index.list(OWNER, { state }, { limit: 5 });
      const stats = await stores.now.redis.info('commandstats');
      return Number(/^cmdstat_hget:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
    };
    await stores.now.many(1_000, () => stores.now.running());
    for (const state of ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED'] as const) {
      expect([state, await readsOf(state)]).toEqual([state, 0]);
    }
  }, 60_000);
});
