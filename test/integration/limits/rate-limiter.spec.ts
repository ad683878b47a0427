import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallLimits } from '../../../src/limits/call-limits.js';
import { GcraStore } from '../../../src/limits/rates/gcra.store.js';
import { limitOptionsOf } from '../../../src/limits/limit.settings.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { LocalBuckets } from '../../../src/limits/rates/local-buckets.js';
import { RateLimiter } from '../../../src/limits/rates/rate.limiter.js';
import type { Rate } from '../../../src/limits/rates/rate.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { eventually } from '../../kit/run/eventually.js';

const prefix = `test-limit-${String(process.pid)}-${String(Date.now())}`;
const now = (): number => performance.now();
const rate: Rate = { name: 'write', limit: 9_000, periodSeconds: 60, burst: 100 };

/** A limiter of which no call is decided alone, however late the answers of Redis are on a busy machine. */
function limiterOn(client: RedisClient): RateLimiter {
  const onOutage = (): void => undefined;
  return new RateLimiter(new GcraStore(client, 60_000), new LocalBuckets(now), { replicas: 2, onOutage, now });
}

describe(RateLimiter.name, () => {
  let replicas: RedisClient[];

  beforeAll(async () => {
    replicas = [0, 1, 2].map(() => connect(testRedisUrl(), 'command'));
    // A bucket that is full gains nothing while the first calls wait for their connections.
    await Promise.all(replicas.map((replica) => replica.ping()));
  });

  afterAll(() => {
    for (const replica of replicas) replica.disconnect();
  });

  it('keeps three replicas together within limit and burst, to 1 %, and gives no less (A2A-SEC-05, SEED-44)', async () => {
    // Few enough that a busy machine asks for more, and a burst that outlasts its pauses.
    const few: Rate = { ...rate, limit: 1_800, burst: 60 };
    const limiters = replicas.map((replica) => limiterOn(replica));
    const perMs = few.limit / few.periodSeconds / 1_000;
    // What a full bucket would have gained while a busy machine let no loop ask is lost.
    let [spent, lost, askedAt, left] = [0, 0, 0, few.burst];
    const spend = async (limiter: RateLimiter): Promise<boolean> => {
      const { isAllowed, remaining } = await limiter.spend(`${prefix}:together`, few, 1, 'share');
      const now = performance.now();
      if (isAllowed) spent += 1;
      lost += Math.max(0, left + (now - askedAt) * perMs - few.burst);
      [askedAt, left] = [now, remaining];
      return isAllowed;
    };
    const before = (askedAt = performance.now());
    await spend(limiters[0]!);
    const begun = performance.now();
    const hammer = async (limiter: RateLimiter): Promise<void> => {
      while (performance.now() - begun < 1_000) await spend(limiter);
    };
    await Promise.all(limiters.flatMap((limiter) => [hammer(limiter), hammer(limiter)]));
    let last = performance.now();
    while (await spend(limiters[0]!)) last = performance.now();
    const allowance = (ms: number): number => few.burst + ms * perMs;
    expect(spent).toBeLessThanOrEqual(allowance(performance.now() - before) * 1.01);
    expect(spent).toBeGreaterThanOrEqual((allowance(last - begun) - lost - 1) * 0.99);
  }, 15_000);

  it('spends at once no more than the burst, however many ask at the same time', async () => {
    const slow: Rate = { ...rate, limit: 1, burst: 40 };
    const asked = Array.from({ length: 300 }, async (_, index) => {
      const limiter = limiterOn(replicas[index % 3]!);
      return limiter.spend(`${prefix}:burst`, slow, index % 2 === 0 ? 5 : 1, 'share');
    });
    const spent = (await Promise.all(asked)).map((decision, index) =>
      decision.isAllowed ? (index % 2 === 0 ? 5 : 1) : 0,
    );
    expect(spent.reduce<number>((sum, cost) => sum + cost, 0)).toBe(40);
  });

  it('answers each of several calls that come together as if it had come alone', async () => {
    const slow: Rate = { ...rate, limit: 60, burst: 10 };
    const limiter = limiterOn(replicas[0]!);
    const asked = Array.from({ length: 4 }, async () => limiter.spend(`${prefix}:turn`, slow, 3, 'share'));
    const answers = await Promise.all(asked);
    expect(answers.map(({ isAllowed, remaining, resetSeconds }) => [isAllowed, remaining, resetSeconds])).toEqual([
      [true, 7, 3],
      [true, 4, 6],
      [true, 1, 9],
      [false, 1, 9],
    ]);
    expect(answers.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([0, 0, 0, 2]);
  });

  it('leaves no bucket behind that is full again', async () => {
    const quick: Rate = { ...rate, limit: 60_000, burst: 10 };
    await limiterOn(replicas[0]!).spend(`${prefix}:ttl`, quick, 10, 'share');
    expect(await replicas[0]!.pttl(`${prefix}:ttl`)).toBeLessThanOrEqual(10);
    await eventually(async () => {
      expect(await replicas[0]!.exists(`${prefix}:ttl`)).toBe(0);
    });
  });

  it('never gives the last units to two processes', async () => {
    const high: Rate = { ...rate, limit: 601, burst: 2_000 };
    const limiters = replicas.map((replica) => limiterOn(replica));
    const began = performance.now();
    const spent = { allowed: 0 };
    const hammer = async (limiter: RateLimiter, name: string): Promise<void> => {
      while ((await limiter.spend(`${prefix}:${name}`, high, 1, 'share')).isAllowed) spent.allowed += 1;
    };
    await Promise.all(limiters.flatMap((limiter) => [hammer(limiter, 'last'), hammer(limiter, 'last')]));
    const most = high.burst + ((performance.now() - began) * high.limit) / 60_000;
    expect(spent.allowed).toBeLessThanOrEqual(most);
    expect(spent.allowed).toBeGreaterThan(high.burst * 0.9);
  }, 15_000);

  it('has an empty bucket at most after the clock of Redis was set back by an hour', async () => {
    const slow: Rate = { ...rate, limit: 60, burst: 10 };
    const [seconds] = await replicas[0]!.time();
    await replicas[0]!.set(`${prefix}:back`, String((Number(seconds) + 3_600) * 1_000_000));
    expect(await limiterOn(replicas[0]!).spend(`${prefix}:back`, slow, 1, 'share')).toMatchObject({
      ...{ isAllowed: false, remaining: 0, retryAfterSeconds: 1, resetSeconds: 10 },
    });
  });

  it('goes on with its share while Redis is away, tells once, and comes back', async () => {
    const server = await RedisServer.start();
    const client = connect(server.url, 'command');
    client.on('error', () => undefined);
    const outages: unknown[] = [];
    const options = { replicas: 2, onOutage: (error: unknown) => outages.push(error), now };
    const limiter = new RateLimiter(new GcraStore(client), new LocalBuckets(now), options);
    const slow: Rate = { name: 'failure', limit: 20, periodSeconds: 60, burst: 20 };
    try {
      await eventually(async () => {
        expect((await limiter.spend(`${prefix}:away`, slow, 0, 'share')).remaining).toBe(20);
      });
      outages.length = 0;
      await server.kill();
      const started = performance.now();
      const decisions = [];
      for (let index = 0; index < 30; index += 1)
        decisions.push(await limiter.spend(`${prefix}:away`, slow, 1, 'share'));
      expect(decisions.filter((decision) => decision.isAllowed)).toHaveLength(10);
      // None waits for an answer.
      expect(performance.now() - started).toBeLessThan(10_000);
      const reads = await Promise.all(
        Array.from({ length: 50 }, async () => limiter.spend(`${prefix}:read`, slow, 1, 'open')),
      );
      expect(reads.filter((decision) => !decision.isAllowed)).toEqual([]);
      expect(outages).toHaveLength(1);
      await server.launch();
      await eventually(async () => {
        expect((await limiter.spend(`${prefix}:away`, slow, 0, 'share')).remaining).toBeGreaterThanOrEqual(18);
      });
    } finally {
      client.disconnect();
      await server.stop();
    }
  }, 60_000);
});

describe(CallLimits.name, () => {
  it('charges operations by their cost, and reading apart from writing', async () => {
    const client = connect(testRedisUrl(), 'command');
    const small = { limit: 10, periodSeconds: 60, burst: 10 };
    const options = {
      ...limitOptionsOf(loadConfig({}).limits, 'unused'),
      ...{ keyPrefix: prefix, replicas: 1, write: { ...small, name: 'write' }, read: { ...small, name: 'read' } },
    };
    const limits = new CallLimits(limiterOn(client), options);
    const caller = { tenant: 'acme', client: 'billing' };
    try {
      await limits.countCall(caller, 'SendMessage');
      expect(await limits.countCall(caller, 'SendMessage')).toMatchObject({ ratelimit: '"write";r=0;t=60' });
      await expect(limits.countCall(caller, 'CancelTask')).rejects.toMatchObject({
        kind: 'RateLimited',
        retryAfterSeconds: 6,
        headers: { 'retry-after': '6' },
      });
      expect(await limits.countCall(caller, 'ListTasks')).toMatchObject({ ratelimit: '"read";r=8;t=12' });
      expect(await limits.countCall({ ...caller, tenant: 'beta' }, 'SendMessage')).toMatchObject({
        ratelimit: '"write";r=5;t=30',
      });
    } finally {
      client.disconnect();
    }
  });
});
