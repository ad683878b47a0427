import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyWatch } from '../../kit/lua/key-watch.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { steps, TaskDuel } from '../../kit/tasks/task-duel.js';
import { TaskStores } from '../../kit/tasks/task-stores.js';
import { chunkOf, COMPLETED, OWNER, PushBench } from '../webhooks/push-bench.js';
import { answer, Receiver } from '../webhooks/receiver.js';

/** As Redis sees the scripts at work: what `script-keys.spec.ts` reads from their text is true of what they do. */
describe('scripts at work touch no key that they were not given (D14, I6)', () => {
  const shared = process.env.TEST_REDIS_URL;
  let server: RedisServer;
  beforeAll(async () => {
    // A server of its own: ioredis cannot begin to monitor one that others use at this moment.
    server = await RedisServer.start();
    process.env.TEST_REDIS_URL = server.url;
  });
  afterAll(async () => {
    process.env.TEST_REDIS_URL = shared;
    await server.stop();
  });

  it('those of tasks, in many lives', async () => {
    const keyPrefix = `test-${randomUUID()}`;
    const watch = await KeyWatch.start(server.url, keyPrefix);
    const { redis } = TaskStores.connect(server.url);
    for (const [at, life] of fc.sample(steps, { numRuns: 30, seed: 16 }).entries()) {
      await new TaskDuel(new TaskStores(redis, { keyPrefix: `${keyPrefix}-${String(at)}` })).play(life);
    }
    redis.disconnect();
    const { undeclared, scripts } = await watch.stop();
    expect(undeclared).toEqual([]);
    expect(scripts).toBeGreaterThan(100);
  }, 120_000);

  it('those of webhooks: delivered, retried, given up, sent again, replaced, deleted', async () => {
    const receiver = await new Receiver().listen();
    const keyPrefix = `test-${randomUUID()}`;
    const watch = await KeyWatch.start(server.url, `${keyPrefix}:{s`);
    const bench = await PushBench.start({ receivers: [receiver], keyPrefix });
    const run = await bench.task({ url: receiver.url });
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    receiver.behave = answer(410);
    await bench.commit(run, chunkOf('a', 'first'));
    await eventually(async () => expect(await bench.deadLetters.count()).toBe(1));
    receiver.behave = answer(503);
    await bench.deadLetters.redrive({}, 10);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(3));
    const [{ id = '' } = {}] = await bench.configs.list(OWNER, run.taskId);
    receiver.behave = answer(200);
    await bench.register(run.taskId, { id, url: receiver.url });
    await bench.commit(run, COMPLETED);
    await eventually(() => expect(receiver.seqs.at(-1)).toBe(4));
    await bench.configs.delete(OWNER, run.taskId, id);
    await bench.close();
    await receiver.close();
    const { undeclared, scripts } = await watch.stop();
    expect(undeclared).toEqual([]);
    expect(scripts).toBeGreaterThan(20);
  }, 120_000);
});
