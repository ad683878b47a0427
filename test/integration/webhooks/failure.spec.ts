import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PushHistory } from '../../../src/webhooks/delivery/attempt/push-history.js';
import { PushKeys } from '../../../src/webhooks/push.keys.js';
import { RETRY_DELAYS_MS } from '../../../src/webhooks/delivery/retry-schedule.js';
import { EndpointStore } from '../../../src/webhooks/endpoint/endpoint.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { chunkOf, COMPLETED, OWNER, PushBench, WORKING } from './push-bench.js';
import { answer, Receiver } from './receiver.js';

const DAY = 86_400_000;

describe('failing webhooks', () => {
  let bench: PushBench;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await new Receiver().listen();
    bench = await PushBench.start({ receivers: [receiver] });
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  /** Lets time pass, from one attempt to the next, until there have been `count`. */
  async function attempts(count: number): Promise<void> {
    await eventually(
      async () => {
        if (receiver.received.length < count) await bench.aheadToNext();
        expect(receiver.received.length).toBeGreaterThanOrEqual(count);
      },
      { timeoutMs: 15_000, intervalMs: 50 },
    );
  }

  it('shows the attempts of a webhook whose key is gone, spends none, and delivers once the key is back (B19)', async () => {
    const run = await bench.task({ url: receiver.url, events: ['TASK_STATE_COMPLETED'] });
    // A delivery that has passed the first events would still know the webhook as it was.
    await eventually(async () => expect(await bench.waiting()).toEqual([]));
    const key = new PushKeys(bench.keyPrefix).push(run.taskId);
    const [[field, stored] = ['', '']] = Object.entries(await bench.redis.hgetall(key)).filter(([name]) =>
      name.startsWith('config:'),
    );
    const sealed = JSON.stringify(['{}', 'another owner']);
    await bench.redis.hset(key, field, JSON.stringify({ ...(JSON.parse(stored) as object), sealed }));
    await bench.commit(run, COMPLETED);

    const unreadable = { attempt: 1, seq: 3, outcome: 'retry', reason: 'unreadable', bytes: 0 };
    await eventually(
      async () => {
        const { attempts: shown } = await bench.get(PushHistory).of(OWNER, run.taskId);
        if (shown.length < 3) await bench.aheadToNext();
        expect(shown.length).toBeGreaterThanOrEqual(3);
        for (const one of shown) expect(one).toMatchObject(unreadable);
      },
      { timeoutMs: 15_000 },
    );
    expect(receiver.received).toEqual([]);

    await bench.redis.hset(key, field, stored);
    await attempts(1);
    expect(receiver.received.map(({ headers }) => headers['x-a2a-attempt'])).toEqual(['1']);
    await eventually(async () => {
      const { attempts: shown } = await bench.get(PushHistory).of(OWNER, run.taskId);
      expect(shown.at(-1)).toMatchObject({ outcome: 'delivered', attempt: 1 });
    });
  });

  it('finds within about a minute that a receiver is back which was down for long (L5)', async () => {
    receiver.behave = answer(503);
    for (let n = 0; n < 12; n += 1) await bench.commit(await bench.task({ url: receiver.url }), COMPLETED);
    let downMs = 0;
    await eventually(
      async () => {
        downMs += await bench.aheadToNext();
        expect(downMs).toBeGreaterThan(300_000);
      },
      { timeoutMs: 20_000, intervalMs: 100 },
    );
    const took = jest.fn(answer(200));
    receiver.behave = took;
    let backMs = 0;
    await eventually(
      async () => {
        if (took.mock.calls.length === 0) backMs += await bench.aheadToNext();
        expect(took).toHaveBeenCalled();
      },
      { timeoutMs: 20_000, intervalMs: 100 },
    );
    expect(backMs).toBeLessThan(75_000);
  });

  it('tries twelve times by the schedule, then gives up, and delivers what is redriven (A2A-PN-06)', async () => {
    receiver.behave = answer(500);
    const run = await bench.task({ url: receiver.url, events: ['TASK_STATE_COMPLETED'] });
    await bench.commit(run, COMPLETED);
    await attempts(12);

    const times = bench.lines.map(({ at }) => Date.parse(at));
    for (const [n, at] of times.entries()) {
      if (n === 0) continue;
      const scheduled = RETRY_DELAYS_MS[n] ?? 0;
      expect(Math.abs(at - (times[n - 1] ?? 0) - scheduled)).toBeLessThan(scheduled * 0.2 + 1000);
    }
    const [id, ...others] = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(id).toContain(`evt_${run.taskId}_3_`);
    expect(others).toEqual([]);
    expect(receiver.received.map(({ headers }) => headers['x-a2a-attempt'])).toEqual(
      Array.from({ length: 12 }, (_unused, n) => String(n + 1)),
    );

    const [letter] = await eventually(async () => {
      const letters = await bench.deadLetters.list({ taskId: run.taskId }, 10);
      expect(letters).toMatchObject([{ scope: 'webhook', reason: 'retries_exhausted', attempts: 12, tenant: 'acme' }]);
      return letters;
    });
    // Where its cursor was: events that it does not want may have been passed already.
    expect(letter?.seq).toBeLessThanOrEqual(3);
    bench.ahead(30 * DAY);
    expect(receiver.received).toHaveLength(12);

    receiver.behave = answer(204);
    expect(await bench.deadLetters.redrive({ origin: letter?.origin ?? '', tenant: 'acme' }, 10)).toEqual({
      revived: 1,
      gone: 0,
    });
    await eventually(() => expect(receiver.received).toHaveLength(13));
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(id);
    expect(await bench.deadLetters.list({ taskId: run.taskId }, 10)).toEqual([]);
  }, 30_000);

  it.each(['unregister', 'purge'] as const)(
    'counts attempts, kept bodies and dead letters for the task, and %s removes its dead letters (A6, I10)',
    async (removal) => {
      receiver.behave = answer(410);
      const { redis, configs, deadLetters } = bench;
      const keys = new TaskKeys(bench.keyPrefix);
      const run = await bench.task({ id: 'hook', url: receiver.url }, '0.3');
      const { taskId } = run;
      await eventually(async () => expect(await deadLetters.list({ taskId }, 10)).toHaveLength(1));
      const [counted, hook] = await Promise.all([
        redis.hget(keys.task(taskId), 'b'),
        redis.hget(keys.push(taskId), 'bytes:hook'),
      ]);
      const lines = await redis.lrange(keys.attempts(taskId), 0, -1);
      const attempts = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
      const config = Buffer.byteLength((await redis.hget(keys.push(taskId), 'config:hook')) ?? '');
      expect(lines.length).toBeGreaterThan(0);
      expect(Number(hook)).toBeGreaterThan(config + 1_000);
      expect(Number(counted)).toBeGreaterThan(attempts + Number(hook) + 2_000);

      if (removal === 'unregister') await configs.delete(OWNER, taskId, 'hook');
      else await bench.get(SweepStore).purge(taskId, 'whatever');
      expect(await deadLetters.list({ taskId }, 10)).toEqual([]);
      expect(await redis.hget(keys.push(taskId), 'bytes:hook')).toBeNull();
    },
    30_000,
  );

  it('keeps the newest hundred dead letters of a webhook (A6, I10)', async () => {
    receiver.behave = ({ seq }, response) => {
      response.writeHead(seq % 2 === 0 ? 204 : 400, { 'webhook-delivery': 'abort-message' }).end();
    };
    const run = await bench.task({ id: 'hook', url: receiver.url });
    const { taskId } = run;
    for (let n = 0; n < 230; n += 1) await bench.commit(run, chunkOf('x', n === 0 ? 'first' : 'next'));
    await eventually(() => expect(receiver.received.at(-1)?.seq).toBe(232), { timeoutMs: 20_000 });
    await eventually(async () => {
      const letters = await bench.deadLetters.list({ taskId }, 1_000);
      expect(letters).toHaveLength(100);
      expect(Math.min(...letters.map(({ seq }) => seq))).toBeGreaterThan(30);
    });
  }, 40_000);

  it('repeats the very same body with a new time', async () => {
    receiver.behave = answer(500);
    await bench.task({ url: receiver.url, events: ['TASK_STATE_SUBMITTED'] }, '0.3');
    await attempts(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBeGreaterThan(1);
  });

  it('lets a newer status overtake a stale one, and loses no chunk and no end (A2A-PN-08)', async () => {
    receiver.behave = answer(500);
    const run = await bench.task({ url: receiver.url });
    await attempts(1);
    await bench.commit(run, chunkOf('a', 'first'), WORKING, chunkOf('b'), WORKING, COMPLETED);
    receiver.behave = answer(200);
    await attempts(6);
    await eventually(() => expect(receiver.seqs).toEqual([1, 3, 4, 5, 6, 7]));
  });

  it('waits as long as the receiver asks for', async () => {
    receiver.behave = answer(429, { 'retry-after': '120' });
    await bench.task({ url: receiver.url, events: ['TASK_STATE_SUBMITTED'] });
    await attempts(1);
    await eventually(async () => expect(await bench.aheadToNext()).toBeGreaterThan(110_000));
    await attempts(2);
  });

  it('goes on with the next event when one is refused for good, and can send it later', async () => {
    receiver.behave = ({ seq }, response) => response.writeHead(seq === 3 ? 422 : 200).end();
    const run = await bench.task({ url: receiver.url });
    await bench.commit(run, chunkOf('a', 'first'), COMPLETED);
    await attempts(7);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 3, 3, 3, 4]));
    expect(await bench.deadLetters.list({ taskId: run.taskId }, 10)).toMatchObject([
      { scope: 'event', reason: 'http_422', seq: 3 },
    ]);

    receiver.behave = answer(200);
    await bench.deadLetters.redrive({ taskId: run.taskId }, 10);
    await eventually(() => expect(receiver.seqs.slice(7)).toEqual([3, 4]));
  });

  it('does not make other webhooks of an origin pay for one whose path is wrong (L2)', async () => {
    receiver.behave = ({ path }, response) => response.writeHead(path === '/wrong' ? 404 : 200).end();
    const url = new URL('/wrong', receiver.url).href;
    await Promise.all(Array.from({ length: 12 }, () => bench.task({ url })));
    await attempts(14);
    expect(await bench.get(EndpointStore).stateOf({ tenant: 'acme', origin: new URL(url).origin })).toEqual({
      failuresInARow: 0,
      underWay: expect.any(Number),
    });
    const { taskId } = await bench.task({ url: receiver.url });
    await eventually(() => {
      const right = receiver.received.filter(
        ({ headers, path }) => headers['x-a2a-task-id'] === taskId && path === '/hook',
      );
      expect(right.map(({ seq }) => seq)).toEqual([1, 2]);
    });
  });

  it('stops a webhook whose receiver refuses ten events in a row (L2)', async () => {
    receiver.behave = answer(404);
    const run = await bench.task();
    await bench.register(run.taskId, { url: receiver.url });
    await bench.commit(run, chunkOf('a', 'first'), ...Array.from({ length: 14 }, () => chunkOf('b')));
    await attempts(40);
    await eventually(async () => {
      const letters = await bench.deadLetters.list({ taskId: run.taskId }, 20);
      expect(letters.map(({ scope }) => scope).sort()).toEqual([...Array<string>(9).fill('event'), 'webhook']);
    });
    expect(receiver.received).toHaveLength(40);
  }, 30_000);

  it('says which events the log had dropped before they could be delivered, and goes on behind them (L3)', async () => {
    receiver.behave = answer(503);
    const run = await bench.task();
    await bench.register(run.taskId, { url: receiver.url, id: 'c1' });
    await bench.commit(run, chunkOf('a', 'first'), chunkOf('b'), chunkOf('c'), COMPLETED);
    await attempts(1);
    await bench.trim(run.taskId, 2);
    receiver.behave = answer(200);
    await attempts(3);
    await eventually(() => expect(receiver.seqs).toEqual([3, 5, 6]));
    const gap = { scope: 'gap', reason: 'events_trimmed', configId: 'c1', seq: 3, lastSeq: 4 };
    expect(await bench.deadLetters.list({ taskId: run.taskId }, 10)).toMatchObject([gap]);
    expect(await bench.deadLetters.redrive({ taskId: run.taskId }, 10)).toEqual({ revived: 0, gone: 1 });
    expect(await bench.deadLetters.list({ taskId: run.taskId }, 10)).toEqual([]);
  });

  it.each([
    ['410', 'http_410', undefined],
    ['an address that has become private', 'blocked_address', 'https://rebound.example.com/hook'],
  ])('stops a webhook at once on %s', async (_, reason, url) => {
    receiver.behave = answer(410);
    const { taskId } = await bench.task({ url: url ?? receiver.url });
    await eventually(async () => {
      const letters = await bench.deadLetters.list({ taskId }, 10);
      expect(letters).toMatchObject([{ scope: 'webhook', reason, attempts: 1, seq: 1 }]);
    });
  });

  it('leaves an endpoint alone that fails again and again, and comes back to it', async () => {
    receiver.behave = answer(503);
    const runs = await Promise.all(Array.from({ length: 12 }, () => bench.task({ url: receiver.url })));
    await attempts(10);
    const seen = receiver.received.length;
    expect(seen).toBeLessThanOrEqual(16);
    receiver.behave = answer(200);
    await eventually(
      async () => {
        await bench.aheadToNext();
        const done = runs.filter(({ taskId }) => receiver.received.some((r) => r.seq === 2 && r.body.includes(taskId)));
        expect(done).toHaveLength(runs.length);
      },
      { timeoutMs: 20_000, intervalMs: 50 },
    );
  }, 30_000);
});
