import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { type Evaluation, SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { allKeys } from '../../kit/checks/invariants.js';
import { traitsOf } from '../../../src/tasks/record/task-record.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import { RunHolds } from '../../../src/tasks/commit/run-holds.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, done, OWNER, piece } from '../../kit/tasks/task-stores.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe(SweepStore.name, () => {
  const stores = useTaskStores();

  it('leaves a run alone that waits for a worker', async () => {
    const { id } = await stores.now.submitted();

    expect(await stores.now.sweeps.evaluate(id)).toEqual({ kind: 'later' });
    expect(await stores.now.sweeps.due(100)).not.toContain(id);
  });

  it('puts a run into the queue again that is in none, under the same fence', async () => {
    const { id, fence } = await stores.now.submitted();
    await stores.now.redis.zrem(stores.now.keys.fairQueue(shardOf(id)), id);
    await stores.now.expireTime(id);

    expect(await stores.now.sweeps.evaluate(id)).toEqual({ kind: 'run', fence });
    expect(await stores.now.queue.heads(1, [])).toMatchObject([{ taskId: id, skillId: '' }]);
  });

  it('leaves a run alone whose lease holds', async () => {
    const run = await stores.now.running();

    expect(await stores.now.sweeps.evaluate(run.taskId)).toEqual({ kind: 'later' });
    expect(await stores.now.heartbeat(run)).toBe('ok');
  });

  it('asks for another run under a new fence when a lease has ended', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.sweeps.evaluate(run.taskId)).toMatchObject({ kind: 'again', fence: run.fence + 1 });
    expect((await stores.now.claimed(run.taskId, run.fence + 1)).attempt).toBe(2);
  });

  it('counts lost runs of a turn and gives up after the limit', async () => {
    let run = await stores.now.running();
    for (let attempt = 2; attempt <= stores.now.options.maxAttempts; attempt += 1) {
      await stores.now.expireLease(run.taskId);
      const verdict = await stores.now.sweeps.evaluate(run.taskId);
      run = await stores.now.claimed(run.taskId, 'fence' in verdict ? verdict.fence : 0);
      expect(run.attempt).toBe(attempt);
    }
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.sweeps.evaluate(run.taskId)).toEqual({
      kind: 'end',
      why: 'ATTEMPTS_SPENT',
      fence: run.fence,
    });
  });

  /** Loses the run of a task with its process. */
  const lose = async (taskId: string): Promise<Evaluation> => {
    await stores.now.expireLease(taskId);
    return stores.now.sweeps.evaluate(taskId);
  };

  it('lets the last attempt wait for a process without another suspect, behind no run of others (I17)', async () => {
    const run = await stores.now.running();
    await lose(run.taskId);
    expect(await stores.now.queue.heads(9, 'all')).toMatchObject([{ taskId: run.taskId, position: -1 }]);
    await stores.now.claimed(run.taskId, run.fence + 1);
    await lose(run.taskId);
    const { id } = await stores.now.submitted();

    expect(await stores.now.queue.heads(1, 'all')).toMatchObject([
      { taskId: run.taskId, isSuspect: true },
      { taskId: id },
    ]);
  });

  it('ends no task by losses of runs that have outlived the lost ones before they are many (I17)', async () => {
    let run = await stores.now.running();
    for (let losses = 1; losses < stores.now.options.maxAttempts + 3; losses += 1) {
      expect(await lose(run.taskId)).toMatchObject({ kind: 'again' });
      run = await stores.now.claimed(run.taskId, run.fence + 1);
      expect(run).toMatchObject({ losses, attempt: losses + 1 });
      await stores.now.runs.notebook.noteSuspect(run, '');
    }
    expect(await lose(run.taskId)).toMatchObject({ kind: 'end', why: 'ATTEMPTS_SPENT' });
  });

  it('charges no loss to runs of a process that lives, unless it gave them up or they are never repeated (I17)', async () => {
    const subscriber = (stores.now.redis as Redis).duplicate();
    const once = await stores.now.running({ routing: { skillId: 'echo', maxAttempts: 1 } });
    let run = await stores.now.running();
    try {
      await subscriber.subscribe('worker');
      for (let late = 0; late < 2 * stores.now.options.maxAttempts + 3; late += 1) {
        expect(await lose(run.taskId)).toMatchObject({ kind: 'again', isLate: true });
        run = await stores.now.claimed(run.taskId, run.fence + 1);
        expect(run.attempt).toBe(1);
      }
      expect(await lose(once.taskId)).toMatchObject({ kind: 'end', why: 'ATTEMPTS_SPENT' });
      const holds = new RunHolds(stores.now.redis, stores.now.options);
      await holds.giveUp('worker', 'another-task');
      expect(await lose(run.taskId)).toMatchObject({ kind: 'again', isLate: true });
      run = await stores.now.claimed(run.taskId, run.fence + 1);
      await holds.giveUp('worker', run.taskId);
      expect(await lose(run.taskId)).toMatchObject({ kind: 'again', isLate: false });
      expect(await stores.now.claimed(run.taskId, run.fence + 1)).toMatchObject({ attempt: 2, losses: 1 });
    } finally {
      await stores.now.redis.del(stores.now.keys.gaveUp('worker'));
      subscriber.disconnect();
    }
  });

  it('keeps a late suspect apart, and its losses (I17)', async () => {
    const subscriber = (stores.now.redis as Redis).duplicate();
    const run = await stores.now.running();
    try {
      for (let losses = 1; losses < stores.now.options.maxAttempts; losses += 1) {
        await lose(run.taskId);
        await stores.now.claimed(run.taskId, run.fence + losses);
      }
      await subscriber.subscribe('worker');
      expect(await lose(run.taskId)).toMatchObject({ kind: 'again', isLate: true });
    } finally {
      subscriber.disconnect();
    }
    expect(await stores.now.queue.heads(1, 'all')).toMatchObject([{ taskId: run.taskId, isSuspect: true }]);
    const again = await stores.now.claimed(run.taskId, run.fence + stores.now.options.maxAttempts);
    expect(again).toMatchObject({ attempt: 3, losses: 2 });
    expect(await lose(run.taskId)).toMatchObject({ kind: 'end', why: 'ATTEMPTS_SPENT' });
  });

  it('does not charge the last attempt beside other runs of its process (I17)', async () => {
    const run = await stores.now.running();
    await lose(run.taskId);
    await stores.now.claimed(run.taskId, run.fence + 1);
    await lose(run.taskId);
    expect(await stores.now.runs.claim(run.taskId, 'any', 'worker', false)).toMatchObject({
      run: { losses: 2, suspectMs: expect.any(Number) },
    });
    expect(await lose(run.taskId)).toMatchObject({ kind: 'again' });
  });

  it('does not charge the loss of a run that has lived long enough, and counts anew after progress (I17)', async () => {
    let run = await stores.now.running();
    const again = async (): Promise<void> => {
      expect(await lose(run.taskId)).toMatchObject({ kind: 'again' });
      run = await stores.now.claimed(run.taskId, run.fence + 1);
    };
    await again();
    await again();
    await stores.now.runs.notebook.noteSuspect(run, '');
    await again();
    await stores.now.runs.notebook.noteStep(run, 's', '1');
    await again();
    await again();
    await again();
    expect(run.losses).toBe(2);
    expect(await lose(run.taskId)).toMatchObject({ kind: 'end', why: 'ATTEMPTS_SPENT' });
  });

  it('settles a task with a reason that its caller can read', async () => {
    const run = await stores.now.running();

    expect(await stores.now.sweeps.settle(run.taskId, run.fence, 'TASK_STATE_FAILED', { text: 'It broke.' })).toBe(
      'settled',
    );
    expect((await stores.now.task(run.taskId)).status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { role: 'ROLE_AGENT', taskId: run.taskId, parts: [{ text: 'It broke.' }] },
    });
    expect(await stores.now.runs.commit(run, run.seq, [done])).toEqual({ kind: 'lost' });
  });

  it('does not settle a task that has moved since it was looked at', async () => {
    const run = await stores.now.running();
    const fence = await stores.now.runs.release(run, 'handed-over');
    const finished = await stores.now.completed();

    expect(await stores.now.sweeps.settle(run.taskId, run.fence, 'TASK_STATE_FAILED')).toBe('moved');
    expect(await stores.now.sweeps.settle(finished.taskId, finished.fence, 'TASK_STATE_FAILED')).toBe('moved');
    expect(await stores.now.sweeps.settle(NOBODY, 1, 'TASK_STATE_FAILED')).toBe('moved');
    await stores.now.claimed(run.taskId, fence ?? 0);
    await expect(stores.now.sweeps.settle(run.taskId, 1, 'TASK_STATE_WORKING')).rejects.toThrow(RangeError);
  });

  it('gives up a task that nobody answered, and one that nobody ran', async () => {
    const waiting = await stores.now.waiting();
    const { id } = await stores.now.submitted();
    for (const task of [waiting.taskId, id]) await stores.now.expireTime(task);

    expect(await stores.now.sweeps.evaluate(waiting.taskId)).toMatchObject({ kind: 'end', why: 'UNANSWERED' });
    expect(await stores.now.sweeps.evaluate(id)).toMatchObject({ kind: 'end', why: 'NEVER_RUN' });
  });

  it('looks at a waiting task again only when its time is over', async () => {
    const { taskId } = await stores.now.waiting();

    const due = Number(await stores.now.redis.zscore(stores.now.keys.dueOf(taskId), taskId));
    expect(due - Date.now()).toBeGreaterThan(stores.now.options.interruptedTtlMs - 60_000);
  });

  it('forgets a task in the due set that does not exist', async () => {
    await stores.now.redis.zadd(stores.now.keys.dueOf(NOBODY), 0, NOBODY);

    expect(await stores.now.sweeps.evaluate(NOBODY)).toEqual({ kind: 'later' });
    expect(await stores.now.sweeps.due(100)).toEqual([]);
  });

  it('purges a finished task without leaving a key', async () => {
    const run = await stores.now.running();
    await stores.now.runs.notebook.writeState(run, 'n', '1');
    await stores.now.runs.notebook.noteStep(run, 's', '1');
    await stores.now.runs.commit(run, run.seq, [piece('a', 'x'), piece('b', 'y'), piece('a', 'z', true), done]);

    await stores.now.expireTime(run.taskId);
    expect(await stores.now.sweeps.over(100)).toEqual([run.taskId]);
    expect(await stores.now.sweeps.purge(run.taskId, 'finished')).toBe(true);
    expect(await allKeys(stores.now)).toEqual([]);
  });

  it('leaves a task alone that has ended, or asks, since it was found due', async () => {
    const finished = await stores.now.completed();
    const waiting = await stores.now.waiting();

    expect(await stores.now.sweeps.evaluate(finished.taskId)).toEqual({ kind: 'later' });
    expect(await stores.now.sweeps.evaluate(waiting.taskId)).toEqual({ kind: 'later' });
  });

  it('does not purge an open task unless told to', async () => {
    const run = await stores.now.waiting();

    expect(await stores.now.sweeps.purge(run.taskId, 'finished')).toBe(false);
    expect(await stores.now.sweeps.purge(run.taskId, 'whatever')).toBe(true);
    expect(await allKeys(stores.now)).toEqual([]);
  });

  it('leaves the mark of a message alone that has begun a younger task', async () => {
    const message = aMessage();
    const older = await stores.now.completed({ message });
    await stores.now.redis.del(
      stores.now.keys.sent(shardOf(older.taskId), traitsOf((await stores.now.field(older.taskId, 'i')) ?? '').digest),
    );
    const { id } = await stores.now.submitted({ message });

    await stores.now.sweeps.purge(older.taskId, 'finished');

    expect(await stores.now.create({ message })).toEqual({ kind: 'sent', taskId: id });
  });

  it('takes a limited number of due tasks of each shard, longest due first', async () => {
    const hurried = stores.now.with({ stuckTtlMs: -10_000 });
    const made = await Promise.all(Array.from({ length: 100 }, () => hurried.submitted()));

    expect(await stores.now.sweeps.due(1000)).toHaveLength(made.length);
    expect((await stores.now.sweeps.due(1)).length).toBeLessThanOrEqual(16);
  });

  it('ends a task once although ten sweeps end it at the same time', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, run.taskId);
    await stores.now.expireCancelGrace(run.taskId);

    const ends = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const verdict = await stores.now.sweeps.evaluate(run.taskId);
        return verdict.kind === 'end' && stores.now.sweeps.settle(run.taskId, verdict.fence, 'TASK_STATE_CANCELED');
      }),
    );

    expect(ends.filter((ended) => ended === 'settled')).toHaveLength(1);
  });
});
