import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { LineKeys } from '../../../src/models/line/line.keys.js';
import { type Entry, type LineCall, ModelLines } from '../../../src/models/line/model-lines.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

let redis: RedisClient;
let keys: LineKeys;
/** Time goes on without waiting. */
const clock = { aheadMs: 0 };
/** One a replica. */
let replicas: readonly ModelLines[];
let turn = 0;

type In = Extract<Entry, { kind: 'in' }>;

const enter = (ticket: string, more: Partial<LineCall> = {}): Promise<Entry> => {
  turn += 1;
  return replicas[turn % 2]!.enter({ account: 'a', ticket, tenant: 'acme', weight: 1, ...more });
};
const inside = async (entry: Entry | Promise<Entry>): Promise<In> => {
  const found = await entry;
  if (found.kind !== 'in') throw new Error(`It waits ${String(found.waitMs)} ms behind ${String(found.ahead)}`);
  return found;
};
const close = async (laterMs: number): Promise<void> => {
  await (await inside(enter('first'))).leave({ sign: 'failed', ms: 5, laterMs });
};

describe(ModelLines.name, () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
    redis = connect(testRedisUrl(), 'command');
  });

  afterAll(() => redis.disconnect());

  beforeEach(() => {
    keys = new LineKeys(`test-${randomUUID()}`);
    replicas = [1, 2].map(() => new ModelLines(redis, keys, clock));
  });

  it('lets calls pass at once while an account has capacity, and keeps nothing of them', async () => {
    const entries = await Promise.all(Array.from({ length: 50 }, (_, at) => inside(enter(`t${String(at)}`))));
    await Promise.all(entries.map(({ leave }) => leave({ sign: 'succeeded', ms: 5 })));
    expect(await replicas[0]!.waiting('a')).toBe(0);
  });

  it('closes an account until its time, for all replicas, and then lets one call probe it (LLM-18)', async () => {
    await close(60_000);
    for (const ticket of ['b', 'c']) expect(await enter(ticket)).toMatchObject({ kind: 'later' });
    const [b, c] = [await enter('b'), await enter('c')];
    if (b.kind !== 'later' || c.kind !== 'later') throw new Error('They pass');
    expect(b.waitMs).toBeGreaterThan(55_000);
    // The call that was refused has kept its place, but for one turn.
    expect([b.ahead, c.ahead]).toEqual([0, 2]);
    clock.aheadMs += 60_001;
    expect(await enter('first')).toMatchObject({ kind: 'later' });
    const probe = await inside(enter('b'));
    expect(await enter('first')).toMatchObject({ kind: 'later', ahead: 0 });
    await probe.leave({ sign: 'succeeded', ms: 5 });
    // Each success earns one more.
    const [second, third] = [await inside(enter('first')), await inside(enter('c'))];
    expect(await enter('d')).toMatchObject({ kind: 'later' });
    await Promise.all([second, third].map(({ leave }) => leave({ sign: 'succeeded', ms: 5 })));
  });

  it('lets one call of a tenant pass before 999 that another one has waiting (LLM-18)', async () => {
    await close(10_000);
    await Promise.all(Array.from({ length: 999 }, (_, at) => enter(`big ${String(at)}`, { tenant: 'big' })));
    expect(await enter('small', { tenant: 'small' })).toMatchObject({ ahead: expect.any(Number) });
    const small = await enter('small', { tenant: 'small' });
    expect(small.kind === 'later' && small.ahead).toBeLessThanOrEqual(2);
  });

  it('gives tenants their shares by weight, each in its own order (LLM-18)', async () => {
    await close(10_000);
    const tickets = Array.from({ length: 12 }, (_, at) => at);
    for (const at of tickets) await enter(`one ${String(at)}`, { tenant: 'one', weight: 1 });
    for (const at of tickets) await enter(`two ${String(at)}`, { tenant: 'two', weight: 2 });
    const order = (await redis.zrange(keys.account('a').line, '0', '17')).filter((ticket) => ticket !== 'first');
    expect(order.filter((ticket) => ticket.startsWith('two')).length).toBeGreaterThanOrEqual(10);
    for (const tenant of ['one', 'two']) {
      const own = order.filter((ticket) => ticket.startsWith(tenant));
      expect(own).toEqual(own.map((_, at) => `${tenant} ${String(at)}`));
    }
  });

  it('keeps the line of an account that is never called again for a day at most (LLM-18)', async () => {
    await close(60_000);
    const { line, due } = keys.account('a');
    for (const key of [line, due]) {
      expect(await redis.zcard(key)).toBe(1);
      expect(await redis.pttl(key)).toBeGreaterThan(86_000_000);
    }
  });

  it('forgets tickets that nobody comes back for, and slots of processes that died (LLM-18)', async () => {
    await close(1_000);
    await enter('lost');
    await enter('next');
    clock.aheadMs += 200_000;
    const probe = await inside(enter('next'));
    expect(await redis.zscore(keys.account('a').line, 'lost')).toBeNull();
    await probe.leave({ sign: 'none', ms: 5 });
    const limits = { atOnce: 1 };
    // Its process holds it by a timer, which this test does not wait for.
    await inside(enter('dies', { account: 'b', limits }));
    expect(await enter('after', { account: 'b', limits })).toMatchObject({ kind: 'later' });
    clock.aheadMs += 16_000;
    await inside(enter('after', { account: 'b', limits }));
  });

  it('spreads requests of a minute, and bounds calls under way', async () => {
    const limits = { requests: 60, atOnce: 100 };
    const kinds = await Promise.all(Array.from({ length: 10 }, (_, at) => enter(`r${String(at)}`, { limits })));
    expect(kinds.filter(({ kind }) => kind === 'in')).toHaveLength(6);
    clock.aheadMs += 2_000;
    const again = await Promise.all(
      kinds.flatMap(({ kind }, at) => (kind === 'in' ? [] : [enter(`r${String(at)}`, { limits })])),
    );
    expect(again.filter(({ kind }) => kind === 'in')).toHaveLength(2);
    const few = await Promise.all(
      [1, 2, 3].map((at) => enter(`few ${String(at)}`, { account: 'c', limits: { atOnce: 2 } })),
    );
    expect(few.filter(({ kind }) => kind === 'in')).toHaveLength(2);
  });

  it('reserves money of a tenant and model, never more than a day has (LLM-21)', async () => {
    const budget = { account: 'a', tenant: 'acme', model: 'fast', micros: 300, maxMicros: 1_000 };
    const reserved = await Promise.all(Array.from({ length: 100 }, () => replicas[0]!.spend(budget)));
    const settled = reserved.filter((settle) => settle !== undefined);
    expect(settled).toHaveLength(3);
    await Promise.all(settled.map((settle) => settle(10)));
    expect(await replicas[1]!.spend({ ...budget, micros: 970 })).toBeDefined();
    expect(await replicas[1]!.spend({ ...budget, tenant: 'other' })).toBeDefined();
  });
});
