import { describe, expect, it } from '@jest/globals';
import { MemoryWatch } from '../../../src/platform/redis/health/memory-watch.js';
import { listsOf } from '../../../src/tasks/record/task-lists.js';
import { StoredBytes } from '../../../src/tasks/lists/stored-bytes.js';
import { taskIdAt } from '../../../src/tasks/record/task-lists.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, anAnswer, asking, done, OWNER, piece, progress } from '../../kit/tasks/task-stores.js';

const CALLER = { tenant: 'default', client: 'tests' };
const MIB = 1_048_576;

function largeText(bytes: number): { parts: { text: string }[] } {
  return { parts: [{ text: 'x'.repeat(bytes) }] };
}

describe('bytes of stored tasks (C3)', () => {
  const stores = useTaskStores();
  const sums = () => new StoredBytes(stores.now.redis, stores.now.options).of(CALLER);

  it('are counted for client and tenant with everything that is stored, and given back by the purge', async () => {
    const run = await stores.now.running({ isCounted: true, message: aMessage(largeText(1_000)) });
    const begun = await sums();
    expect(begun.client).toBeGreaterThan(1_000);
    expect(begun.tenant).toBe(begun.client);
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId, largeText(5_000)), 'h');
    expect((await sums()).client).toBeGreaterThan(begun.client + 5_000);
    await stores.now.runs.commit(run, run.seq, [piece('a', 'y'.repeat(20_000))]);
    expect((await sums()).client).toBeGreaterThan(begun.client + 25_000);

    await stores.now.sweeps.purge(run.taskId, 'whatever');
    expect(await sums()).toEqual({ client: 0, tenant: 0 });
  });

  it('are counted of a run that ends with its only commit, and of a rejected task', async () => {
    const created = await stores.now.create({ isCounted: true }, { channel: 'worker' });
    if (created.kind !== 'created' || created.run === undefined) throw new Error('the run was not claimed');
    const before = await sums();
    await stores.now.runs.commit(created.run, 1, [progress, piece('a', 'y'.repeat(3_000)), done]);
    expect((await sums()).client).toBeGreaterThan(before.client + 3_000);
    const rejected = await stores.now.create({ isCounted: true, routing: { rejection: 'No.' } });

    for (const made of [created, rejected]) {
      await stores.now.sweeps.purge('taskId' in made ? made.taskId : '', 'finished');
    }
    expect(await sums()).toEqual({ client: 0, tenant: 0 });
  });

  it('counts at once what this process lets in', async () => {
    const stored = new StoredBytes(stores.now.redis, stores.now.options);
    await stored.of(CALLER);
    stored.add(CALLER, 700);

    expect(await stored.of(CALLER)).toEqual({ client: 700, tenant: 700 });
  });

  it('stores the message of a task once, not again in its first event', async () => {
    const { id } = await stores.now.submitted({ message: aMessage(largeText(100_000)), metadata: { a: 1 } });

    const stored = await stores.now.redis.hgetall(stores.now.keys.task(id));
    expect(Object.values(stored).join('').length).toBeLessThan(101_500);
    const [first] = await stores.now.events(id);
    expect(first?.event.value).toEqual({ task: await stores.now.task(id) });
  });

  it('keeps a task that no skill took shorter than others', async () => {
    const rejected = await stores.now.create({ routing: { rejection: 'No.' } });
    const { taskId } = await stores.now.completed();
    const until = async (id: string): Promise<number> =>
      Number(await stores.now.redis.zscore(stores.now.keys.over(shardOf(id)), id)) - Date.now();

    const { rejectedTtlMs, terminalTtlMs } = stores.now.options;
    expect(await until('taskId' in rejected ? rejected.taskId : '')).toBeLessThanOrEqual(rejectedTtlMs);
    expect(await until(taskId)).toBeGreaterThan(terminalTtlMs - 60_000);
  });
});

describe('bounds of one task (H2, F2)', () => {
  const stores = useTaskStores({ mostMessages: 3, mostBytes: 10_000 });

  it('refuses a message beyond its number or its bytes before anything of it is stored', async () => {
    const run = await stores.now.running();
    const send = (changes = {}) => stores.now.tasks.resume(OWNER, anAnswer(run.taskId, changes), 'h');

    expect(await send(largeText(20_000))).toEqual({ kind: 'too-many-bytes' });
    expect(await send()).toMatchObject({ kind: 'queued', rev: 1 });
    expect(await send()).toMatchObject({ kind: 'queued', rev: 2 });
    expect(await send()).toEqual({ kind: 'too-many-messages' });
    expect((await stores.now.task(run.taskId)).history).toHaveLength(3);
  });

  it('hands a run the messages of its turn, the last of those before, and the one that began the task (O-11)', async () => {
    const brief = stores.now.with({ historyForRun: 1, mostMessages: 100 });
    let run = await brief.waiting();
    const first = run.history[0]?.messageId;
    for (let turn = 2; turn < 6; turn += 1) {
      const outcome = await brief.tasks.resume(OWNER, anAnswer(run.taskId, { messageId: `m${turn}` }), 'h');
      run = await brief.claimed(run.taskId, 'fence' in outcome ? outcome.fence : 0);
      if (turn < 5) await brief.runs.commit(run, run.seq, [asking]);
    }

    expect(run.messages.map(({ messageId }) => messageId)).toEqual(['m5']);
    expect(run.history.map(({ messageId }) => messageId)).toEqual([first, 'm5']);
    expect((await brief.task(run.taskId)).history).toHaveLength(5);
  });
});

describe('bounds of answers (H1, F1)', () => {
  const stores = useTaskStores();

  it('ends a page of tasks before the one that would be too much, with a entry to go on from', async () => {
    for (let count = 0; count < 5; count += 1) {
      await stores.now.completed({ message: aMessage(largeText(400_000)), contextId: 'large' });
    }
    const shown = { historyLength: 10, artifacts: false };
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await stores.now.index.list(OWNER, {}, { after, limit: 50, shown, mostBytes: MIB });
      expect(page.tasks.length).toBeLessThanOrEqual(2);
      expect(page.total).toBe(5);
      seen.push(...page.tasks.map(({ entry }) => taskIdAt(entry)));
      after = page.next;
      if (after === undefined) break;
    }
    expect(new Set(seen).size).toBe(5);
  });

  it('reads a task of many megabytes step by step, and shows what is stored', async () => {
    const run = await stores.now.running({ message: aMessage(largeText(3 * MIB)) });
    await stores.now.tasks.resume(OWNER, anAnswer(run.taskId, largeText(3 * MIB)), 'h');
    await stores.now.runs.commit(run, run.seq, [piece('a', 'y'.repeat(4 * MIB)), piece('a', 'z', true)]);

    const task = await stores.now.task(run.taskId);
    expect(task.history).toHaveLength(2);
    expect(task.artifacts?.[0]?.parts).toHaveLength(2);
    const brief = await stores.now.tasks.read(OWNER, run.taskId, { historyLength: 1, artifacts: false });
    expect(brief?.task.value.history).toHaveLength(1);
  });
});

describe('times of statuses (M12)', () => {
  const stores = useTaskStores();

  it('are never before the status that they follow, whatever a process takes for the time', async () => {
    const run = await stores.now.running();
    const ahead = String(Date.now() + 60_000);
    const before = `${await stores.now.ms(run.taskId)}:${run.taskId}`;
    const lists = listsOf(stores.now.keys, run.taskId, OWNER, run.contextId);
    for (const list of [lists.open, lists.ofState('TASK_STATE_WORKING')]) {
      await stores.now.redis.zrem(list, before);
      await stores.now.redis.zadd(list, 0, `${ahead}:${run.taskId}`);
    }
    await stores.now.redis.hset(stores.now.keys.task(run.taskId), 't', `${ahead} `);
    await stores.now.expireLease(run.taskId);

    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toMatchObject({ kind: 'canceled' });
    expect(await stores.now.ms(run.taskId)).toBe(ahead);
  });
});

describe('ids of messages (M10)', () => {
  const stores = useTaskStores();

  it('are those of one client, also where clients share their tasks', async () => {
    const message = aMessage();
    const [one, other] = await Promise.all(
      ['a', 'b'].map((client) => stores.now.create({ message, client, owner: 'default/tenant' })),
    );

    expect([one?.kind, other?.kind]).toEqual(['created', 'created']);
    expect(await stores.now.create({ message, client: 'a', owner: 'default/tenant' })).toMatchObject({ kind: 'sent' });
  });
});

describe(MemoryWatch.name, () => {
  const stores = useTaskStores();

  it('says when Redis has used nine tenths of what it may', async () => {
    const { redis } = stores.now;
    const watch = new MemoryWatch(redis);
    await watch.check();
    expect(watch.isShort).toBe(false);
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(Math.round(used * 1.05)));
    await watch.check();
    expect(watch.isShort).toBe(true);
    await redis.config('SET', 'maxmemory', '0');
    await watch.check();
    expect(watch.isShort).toBe(false);
  });
});
