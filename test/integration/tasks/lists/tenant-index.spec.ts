import { describe, expect, it } from '@jest/globals';
import { TenantIndex } from '../../../../src/tasks/lists/tenant-index.js';
import { useTaskStores } from '../../../kit/tasks/store-suite.js';
import { done } from '../../../kit/tasks/task-stores.js';

describe(TenantIndex.name, () => {
  const stores = useTaskStores();
  const index = (): TenantIndex => new TenantIndex(stores.now.redis, stores.now.options);
  const acme = { tenant: 'acme', client: 'a', owner: 'acme/client:a' };

  it('counts and lists the tasks of every owner by state, the youngest status first', async () => {
    const { id: submitted } = await stores.now.submitted(acme);
    const working = await stores.now.running({ ...acme, client: 'b', owner: 'acme/client:b' });
    const waiting = await stores.now.waiting(acme);
    const completed = await stores.now.completed(acme);
    await stores.now.completed();
    const broken = await stores.now.running(acme);
    await stores.now.runs.commit(broken, broken.seq, [{ kind: 'status', state: 'TASK_STATE_FAILED' }]);
    const { id: canceled } = await stores.now.submitted(acme);
    await stores.now.tasks.cancel(acme.owner, canceled);
    const { id: rejected } = await stores.now.submitted({ ...acme, routing: { rejection: 'No skill takes it.' } });

    const { tasks, states, isCut } = await index().list('acme', {}, 20);
    expect(states).toEqual({
      ...{ TASK_STATE_SUBMITTED: 1, TASK_STATE_WORKING: 1, TASK_STATE_INPUT_REQUIRED: 1, TASK_STATE_COMPLETED: 1 },
      ...{ TASK_STATE_FAILED: 1, TASK_STATE_CANCELED: 1, TASK_STATE_REJECTED: 1 },
    });
    expect(isCut).toBe(false);
    const ids = [rejected, canceled, broken.taskId, completed.taskId, waiting.taskId, working.taskId, submitted];
    expect(tasks.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(tasks.map(({ updated }) => updated)).toEqual(
      tasks
        .map(({ updated }) => updated)
        .sort()
        .reverse(),
    );
    expect(tasks.find(({ id }) => id === working.taskId)).toMatchObject({
      ...{ state: 'TASK_STATE_WORKING', skill: 'echo', owner: 'acme/client:b', client: 'b' },
      bytes: expect.any(Number),
    });
  });

  it('follows a task from state to state, and forgets it with its purge', async () => {
    const run = await stores.now.running(acme);
    const statesOf = async (): Promise<object> => (await index().list('acme', {}, 10)).states;
    expect(await statesOf()).toEqual({ TASK_STATE_WORKING: 1 });
    await stores.now.runs.commit(run, run.seq, [{ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' }]);
    expect(await statesOf()).toEqual({ TASK_STATE_INPUT_REQUIRED: 1 });
    const message = { messageId: 'm2', taskId: run.taskId, role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    await stores.now.tasks.resume(acme.owner, message, 'h');
    expect(await statesOf()).toEqual({ TASK_STATE_WORKING: 1 });
    await stores.now.tasks.cancel(acme.owner, run.taskId);
    expect(await statesOf()).toEqual({ TASK_STATE_CANCELED: 1 });
    await stores.now.sweeps.purge(run.taskId, 'finished');
    expect(await statesOf()).toEqual({});
    expect(await stores.now.redis.keys(`${stores.now.options.keyPrefix}:*:of:*`)).toEqual([]);
  });

  it('looks through a thousand tasks for those of a skill or a client, and says that there may be more', async () => {
    await stores.now.submitted({ ...acme, routing: { skillId: 'rare' } });
    await stores.now.many(1_100, () => stores.now.submitted(acme));
    const found = await index().list('acme', { skill: 'rare' }, 5);
    expect([found.tasks.length, found.isCut]).toEqual([0, true]);
    expect(await index().countsOf('acme', { skill: 'echo' })).toMatchObject({ areStatesCut: true });
    expect((await index().list('acme', { skill: 'echo' }, 5)).tasks).toHaveLength(5);
    const { tasks } = await index().list('acme', { state: 'TASK_STATE_SUBMITTED', client: 'a' }, 250);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(250);
  }, 60_000);

  it('counts the tasks of a skill, client, context or time by state, whatever state is listed (C-7)', async () => {
    const working = await stores.now.running({ ...acme, routing: { skillId: 'rare' } });
    await stores.now.completed({ ...acme, routing: { skillId: 'rare' } });
    await stores.now.completed(acme);
    await stores.now.submitted({ ...acme, client: 'b', owner: 'acme/client:b' });
    const rare = { states: { TASK_STATE_WORKING: 1, TASK_STATE_COMPLETED: 1 } };
    expect(await index().countsOf('acme', { skill: 'rare' })).toEqual(rare);
    expect(await index().countsOf('acme', { skill: 'rare', state: 'TASK_STATE_WORKING' })).toEqual(rare);
    expect(await index().countsOf('acme', { client: 'b' })).toEqual({ states: { TASK_STATE_SUBMITTED: 1 } });
    expect(await index().countsOf('acme', { state: 'TASK_STATE_WORKING' })).toBeUndefined();
    const [task] = (await index().list('acme', { skill: 'rare', state: 'TASK_STATE_WORKING' }, 1)).tasks;
    expect(await index().countsOf('acme', { contextId: task?.contextId ?? '' })).toEqual({
      states: { TASK_STATE_WORKING: 1 },
    });
    const since = Date.parse(task?.updated ?? '') + 60_000;
    expect((await index().list('acme', { since }, 5)).states).toEqual({});
    expect((await index().list('acme', { since: 0 }, 5)).states).toMatchObject({ TASK_STATE_COMPLETED: 2 });
    expect(working.taskId).toBe(task?.id);
  });

  it('finds tasks by the beginning of their ids, however old they are, and those of the tenant alone (C-7)', async () => {
    const old = await stores.now.completed(acme);
    const foreign = await stores.now.completed();
    await Promise.all(Array.from({ length: 1_100 }, () => stores.now.submitted(acme)));
    const found = await index().beginningWith('acme', old.taskId.slice(0, 8), 5);
    expect([found.tasks.map(({ id }) => id), found.isCut]).toEqual([[old.taskId], false]);
    expect((await index().beginningWith('acme', old.taskId, 5)).tasks).toHaveLength(1);
    expect((await index().beginningWith('acme', foreign.taskId.slice(0, 8), 5)).tasks).toEqual([]);
    const { tasks, isCut } = await index().beginningWith('acme', '0', 2);
    expect([tasks.length, isCut]).toEqual([2, true]);
  }, 60_000);

  it('finds every task of one millisecond', async () => {
    const runs = await Promise.all(Array.from({ length: 130 }, () => stores.now.running(acme)));
    await stores.now.with({ terminalTtlMs: 1_000 }).runs.commit(runs[0] ?? fail(), 2, [done]);
    const { tasks } = await index().list('acme', {}, 500);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(130);
  }, 30_000);

  it('asks the same of Redis for ten tasks as for a hundred thousand', async () => {
    const commandsOf = async (): Promise<string> => {
      await stores.now.redis.call('CONFIG', 'RESETSTAT');
      await index().list('acme', {}, 10);
      const stats = await stores.now.redis.info('commandstats');
      return [...stats.matchAll(/^cmdstat_(zcount|zrevrangebyscore|hmget):calls=(\d+)/gm)].map(([text]) => text).join();
    };
    await Promise.all(Array.from({ length: 200 }, () => stores.now.submitted(acme)));
    const few = await commandsOf();
    const key = stores.now.keys.ofTenant(0, 'acme');
    const fill = `for n = ARGV[1] + 1, ARGV[1] + 10000 do
      redis.call('ZADD', KEYS[1], '501' .. string.format('%012d', n), 'x' .. n)
    end`;
    for (let from = 0; from < 100_000; from += 10_000) await stores.now.redis.eval(fill, 1, key, from);
    expect(await commandsOf()).toBe(few);
    expect((await index().list('acme', {}, 10)).states).toMatchObject({ TASK_STATE_COMPLETED: 100_000 });
    await stores.now.redis.zremrangebyscore(key, 5e14, 6e14);
  }, 60_000);
});

function fail(): never {
  throw new Error('There is no run');
}
