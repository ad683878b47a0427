import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isRedisOutage } from '../../../src/platform/redis/connection/redis-outage.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, anAnswer, asking, done, OWNER, piece, type TaskStores } from '../../kit/tasks/task-stores.js';

describe(`${TaskStore.name} when Redis is full (noeviction)`, () => {
  const stores = useTaskStores();
  beforeEach(() => maxMemory(stores.now, '0'));
  afterEach(() => maxMemory(stores.now, '0'));

  it('refuses new tasks whole, and takes them again when there is room', async () => {
    const message = aMessage();
    const before = await keyCount(stores.now);
    await maxMemory(stores.now, '1');

    const refused = await Promise.allSettled(Array.from({ length: 20 }, () => stores.now.create({ message })));

    expect(refused.every((it) => it.status === 'rejected' && isRedisOutage(it.reason))).toBe(true);
    await maxMemory(stores.now, '0');
    expect(await keyCount(stores.now)).toBe(before);
    expect(await stores.now.create({ message })).toMatchObject({ kind: 'created' });
  });

  it('lets what has begun commit, renew its lease, end and be canceled (I10)', async () => {
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => stores.now.running()));
    const plain = await stores.now.create({}, { channel: 'worker' });
    if (!a || !b || !c || plain.kind !== 'created' || plain.run === undefined) throw new Error('four runs');
    await maxMemory(stores.now, '1');

    expect(await stores.now.runs.commit(a, a.seq, [piece('a', 'x')])).toMatchObject({ kind: 'committed' });
    expect(await stores.now.heartbeat(a)).toBe('ok');
    expect(await stores.now.runs.commit(a, a.seq + 1, [done])).toMatchObject({ kind: 'committed' });
    expect(await stores.now.runs.commit(plain.run, 1, [done])).toMatchObject({ kind: 'committed' });
    expect(await stores.now.tasks.cancel(OWNER, b.taskId)).toMatchObject({ kind: 'requested' });
    expect(await stores.now.sweeps.settle(b.taskId, b.fence, 'TASK_STATE_CANCELED')).toBe('settled');
    expect(await stores.now.runs.release(c, 'handed-over')).toBe(2);
    expect((await stores.now.runs.claim(c.taskId, 'any', 'w')).kind).toBe('claimed');
    expect(await stores.now.sweeps.purge(a.taskId, 'finished')).toBe(true);
    await expect(stores.now.create()).rejects.toThrow(/OOM/);
  });

  it('does all or nothing of every other change, whatever it meets', async () => {
    const submitted = await stores.now.submitted();
    const waiting = await stores.now.waiting();
    const runs = await Promise.all(Array.from({ length: 8 }, () => stores.now.running()));
    const [a, b, c, d, e, f, g, h] = runs;
    if (!a || !b || !c || !d || !e || !f || !g || !h) throw new Error('eight runs');
    await stores.now.expireLease(g.taskId);
    await stores.now.runs.commit(h, h.seq, [piece('a', 'x'), done]);
    await maxMemory(stores.now, '1');

    await Promise.allSettled([
      ...[stores.now.runs.claim(submitted.id, submitted.fence, 'w'), stores.now.tasks.cancel(OWNER, submitted.id)],
      stores.now.tasks.resume(OWNER, anAnswer(waiting.taskId), 'h'),
      ...[stores.now.runs.commit(a, a.seq, [piece('a', 'x'), done]), stores.now.runs.commit(b, b.seq, [asking])],
      ...[stores.now.tasks.cancel(OWNER, c.taskId), stores.now.heartbeat(d), stores.now.runs.release(d, 'broken')],
      ...[
        stores.now.runs.release(e, 'handed-over'),
        stores.now.sweeps.settle(f.taskId, f.fence, 'TASK_STATE_FAILED', { text: 'no' }),
      ],
      ...[stores.now.sweeps.evaluate(g.taskId), stores.now.sweeps.purge(h.taskId, 'finished')],
    ]);

    await maxMemory(stores.now, '0');
    for (const { taskId, fence } of runs) {
      const state = (await stores.now.tasks.read('*', taskId))?.state;
      if (state === 'TASK_STATE_WORKING') await stores.now.sweeps.settle(taskId, fence, 'TASK_STATE_FAILED');
    }
  });
});

/** Less than the server uses: every command that needs memory is refused, also within a script. */
async function maxMemory({ redis }: TaskStores, bytes: string): Promise<void> {
  await redis.config('SET', 'maxmemory', bytes);
}

async function keyCount({ redis }: TaskStores): Promise<number> {
  return redis.dbsize();
}
