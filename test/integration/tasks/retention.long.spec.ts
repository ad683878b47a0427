import { describe, expect, it } from '@jest/globals';
import { TaskIndex } from '../../../src/tasks/lists/task-index.js';
import { allKeys } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, asking, done, OWNER, piece, type TaskStores } from '../../kit/tasks/task-stores.js';

const TASKS = 2_000;
const AT_ONCE = 100;
const HOOK = { id: 'hook', record: '{"id":"hook"}' };
const ENDS = { CANCEL_OVERDUE: 'TASK_STATE_CANCELED' } as const;

/** One of the ways in which the life of a task goes. */
async function live(stores: TaskStores, at: number): Promise<unknown> {
  const whose = { owner: `default/user:tests:${at % 5}`, contextId: `context ${at % 50}`, push: HOOK };
  const { owner } = whose;
  if (at % 7 === 0) return stores.submitted(whose);
  if (at % 7 === 1) return stores.submitted({ ...whose, routing: { rejection: 'No.' } });
  const run = await stores.running(whose);
  await stores.runs.notebook.noteStep(run, 'step', '1');
  await stores.runs.notebook.writeState(run, 'name', '1');
  await stores.contexts
    .of({
      owner,
      contextId: whose.contextId,
      accounts: { tenantAccount: 't:default', clientAccount: 'c:default/tests' },
    })
    .set('name', at);
  if (at % 7 === 2) return stores.tasks.cancel(owner, run.taskId);
  if (at % 7 === 3) return stores.runs.commit(run, run.seq, [asking]);
  if (at % 7 === 4) {
    await stores.tasks.resume(owner, { ...aMessage(), taskId: run.taskId }, 'hash');
    return stores.runs.release(run, 'broken');
  }
  return stores.runs.commit(run, run.seq, [piece('a', 'x'), piece('a', 'y', true), piece('b', 'z'), done]);
}

async function inTurns(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_unused, at) => work(from + at)));
  }
}

/** What the sweep does until nothing is due, without the workers that a run would need. */
async function sweepAway({ sweeps, contexts }: TaskStores): Promise<void> {
  for (;;) {
    const [due, over] = await Promise.all([sweeps.due(200), sweeps.over(200)]);
    const forgotten = await contexts.forgetDue(200);
    if (due.length + over.length + forgotten === 0) return;
    await inTurns(over.length, (at) => sweeps.purge(over[at] ?? '', 'finished'));
    await inTurns(due.length, async (at) => {
      const id = due[at] ?? '';
      const verdict = await sweeps.evaluate(id);
      if (verdict.kind !== 'end') return;
      const state = verdict.why === 'CANCEL_OVERDUE' ? ENDS[verdict.why] : 'TASK_STATE_FAILED';
      await sweeps.settle(id, verdict.fence, state);
    });
  }
}

describe('retention', () => {
  // Every time is over as soon as it begins.
  const over = { terminalTtlMs: -1, rejectedTtlMs: -1, stuckTtlMs: -1, leaseMs: 1, cancelGraceMs: -1 };
  const stores = useTaskStores({ ...over, interruptedTtlMs: 1, maxAttempts: 1 });

  it(`leaves not one key of ${TASKS} tasks, however they ended (A2A-CANC-04, A2A-ID-05, A2A-SEC-08)`, async () => {
    await inTurns(TASKS, (at) => live(stores.now, at));
    await sweepAway(stores.now);

    expect(await allKeys(stores.now)).toEqual([]);
  }, 60_000);

  it('leaves nothing of a finished task in the lists of its owner', async () => {
    const run = await stores.now.completed();
    await sweepAway(stores.now);

    expect(await stores.now.index.list(OWNER, {}, { limit: 10 })).toEqual({ tasks: [], total: 0 });
    expect(await stores.now.tasks.read(OWNER, run.taskId)).toBeUndefined();
  });

  it(`keeps what ${TaskIndex.name} needs for a month longer than anybody can read the task`, async () => {
    const kept = stores.now.with({ terminalTtlMs: 1_000 });
    const { taskId } = await kept.completed();

    expect(await kept.redis.pttl(kept.keys.task(taskId))).toBeGreaterThan(29 * 86_400_000);
  });
});
