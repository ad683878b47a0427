import { describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/protocol/model/message.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage, anAnswer, asking } from '../../kit/tasks/task-stores.js';

let stores: ReturnType<typeof useTaskStores>;

interface Standing {
  readonly id: string;
  readonly fence: number;
  readonly position: number;
}

/** Messages whose tasks fall into one shard, so that their runs wait in one fair queue. */
function* inOneShard(shard = 0): Generator<Message> {
  for (;;) {
    const message = aMessage();
    if (shardOf(stores.now.tasks.newIdentity('x', 'tests', message.messageId).id) === shard) yield message;
  }
}

async function join(messages: Generator<Message>, tenant: string): Promise<Standing> {
  const { value: message } = messages.next() as { value: Message };
  const outcome = await stores.now.create({ message, tenant, owner: 'x' });
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return { id: outcome.taskId, fence: outcome.fence, position: outcome.position };
}

describe(`${TaskStore.name}: the fair queue`, () => {
  stores = useTaskStores();

  it('is first come, first served for a tenant alone, and begins anew when nobody stands in it', async () => {
    const messages = inOneShard();
    const [a, b, c] = [await join(messages, 'a'), await join(messages, 'a'), await join(messages, 'a')];
    expect([a.position, b.position, c.position]).toEqual([0, 1, 2]);
    for (const { id, fence } of [a, b, c]) await stores.now.claimed(id, fence);
    expect((await join(messages, 'a')).position).toBe(0);
  });

  it('lets another tenant in where it is being served, however many of one tenant wait', async () => {
    const messages = inOneShard();
    const many: Standing[] = [];
    for (let count = 0; count < 50; count += 1) many.push(await join(messages, 'a'));
    for (const { id, fence } of many.slice(0, 21)) await stores.now.claimed(id, fence);
    const other = await join(messages, 'b');
    expect(other.position).toBe(20);
    expect((await join(messages, 'b')).position).toBe(21);
    expect((await join(messages, 'a')).position).toBe(50);
  });

  it('begins where those of other shards have come to, so that its runs do not pass all that wait there', async () => {
    const [busy, empty] = [inOneShard(0), inOneShard(1)];
    const waiting: Standing[] = [];
    for (let count = 0; count < 10; count += 1) waiting.push(await join(busy, 'a'));
    for (const { id, fence } of waiting.slice(0, 6)) await stores.now.claimed(id, fence);
    expect((await join(empty, 'a')).position).toBe(0);
    expect((await join(busy, 'a')).position).toBe(10);
    expect((await join(inOneShard(2), 'a')).position).toBe(5);
    expect((await join(empty, 'b')).position).toBe(5);
  });

  it('is left by runs that are canceled or removed, and joined again by an answer', async () => {
    const messages = inOneShard();
    const [asked, canceled, removed] = [
      await join(messages, 'a'),
      await join(messages, 'a'),
      await join(messages, 'a'),
    ];
    const run = await stores.now.claimed(asked.id, asked.fence);
    await stores.now.runs.commit(run, run.seq, [asking]);
    expect(await stores.now.tasks.cancel('x', canceled.id)).toMatchObject({ kind: 'canceled' });
    await stores.now.sweeps.purge(removed.id, 'whatever');
    expect(await stores.now.redis.exists(stores.now.keys.fairQueue(0))).toBe(0);
    const outcome = await stores.now.tasks.resume('x', anAnswer(asked.id), 'h');
    expect(outcome).toMatchObject({ kind: 'resumed', position: 0 });
    expect(await stores.now.redis.zrange(stores.now.keys.fairQueue(0), '0', '-1')).toEqual([asked.id]);
  });

  it('costs the sweep nothing while runs wait (H5)', async () => {
    const messages = inOneShard();
    for (let count = 0; count < 20; count += 1) await join(messages, 'a');
    expect(await stores.now.sweeps.due(100)).toEqual([]);
    expect(await stores.now.queue.waiting()).toBe(20);
  });

  it('tells which runs are next over all shards, without taking them', async () => {
    const [one, other] = [inOneShard(3), inOneShard(9)];
    const made = [await join(one, 'a'), await join(one, 'a'), await join(other, 'b'), await join(one, 'a')];
    const heads = await stores.now.queue.heads(3, []);
    expect(heads.map(({ position }) => position)).toEqual([0, 0, 1]);
    expect(heads.map(({ taskId }) => taskId)).not.toContain(made[3]?.id);
    expect(await stores.now.queue.heads(3, [])).toEqual(heads);
  });

  it('lets runs of a skill without room wait, and no others (I11)', async () => {
    const limited = { routing: { skillId: 'narrow', isLimited: true } };
    const { id: narrow } = await stores.now.submitted(limited);
    const { id: wide } = await stores.now.submitted();
    const ids = async (skills: readonly string[]): Promise<readonly string[]> =>
      (await stores.now.queue.heads(10, skills)).map(({ taskId }) => taskId);
    expect(await ids([])).toEqual([wide]);
    expect(await ids(['other'])).toEqual([wide]);
    expect([...(await ids(['narrow']))].sort()).toEqual([narrow, wide].sort());
  });

  it('goes on with a run that was given back before all that have not begun, now or when its pause is over', async () => {
    const [first, second] = [await stores.now.running(), await stores.now.running()];
    await stores.now.submitted();
    await stores.now.runs.release(first, 'handed-over');
    await stores.now.runs.release(second, 'broken', 60_000);
    expect((await stores.now.queue.heads(1, []))[0]?.taskId).toBe(first.taskId);
    expect(await stores.now.queue.waiting()).toBe(2);
    await stores.now.expireTime(second.taskId);
    expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 });
    expect(await stores.now.queue.waiting()).toBe(3);
  });

  it('has no end of its positions (L10)', async () => {
    const messages = inOneShard();
    const { id } = await join(messages, 'a');
    await stores.now.redis.hset(stores.now.keys.turns(0), 'now', 2 ** 40, 'last:a', 2 ** 40);
    const [next, other] = [await join(messages, 'a'), await join(messages, 'b')];
    expect([next.position, other.position]).toEqual([2 ** 40 + 1, 2 ** 40]);
    expect((await stores.now.queue.heads(3, [])).map(({ taskId }) => taskId)).toEqual([id, other.id, next.id]);
  });
});
