import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { queuePrefix } from '../../../../src/platform/queue/wake-up-queue.js';
import { RUN_QUEUE } from '../../../../src/runs/queue/run.queue.js';
import { eventually } from '../../../kit/run/eventually.js';
import { RedisServer } from '../../../kit/redis/redis-server.js';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { ServiceProcess } from '../../../kit/app/service-process.mjs';

/** Four looks of the watchdog, five seconds apart, and the end of the process. */
const TIMEOUT_MS = 90_000;

/** Takes wake-ups out of a queue that gives out one at a time, until it has one: it keeps that for ever. */
async function keepTheOnlyJob(queue: Queue, redisUrl: string, prefix: string): Promise<Worker> {
  const held: string[] = [];
  const worker = new Worker(
    queue.name,
    (job) => {
      held.push(job.name);
      return new Promise(() => undefined);
    },
    { connection: connectionOf(redisUrl), prefix, drainDelay: 1 },
  );
  await queue.setGlobalConcurrency(1);
  for (let at = 0; held.length === 0; at += 1) {
    await queue.add('wake', {}, { jobId: `other-${String(at)}`, removeOnComplete: true });
    await eventually(async () => expect(held.length > 0 || (await queue.getWaitingCount()) === 0).toBe(true));
  }
  return worker;
}

function connectionOf(url: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port) };
}

describe('a worker that takes no wake-ups although places are free (D9)', () => {
  let keeper: Worker | undefined;
  let redis: RedisServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  afterAll(async () => {
    await service.stop('SIGKILL');
    await keeper?.close(true);
    await redis.stop();
  });

  it(
    'leaves in order: it hands over what it runs, and its exit code says that something was wrong',
    async () => {
      const keyPrefix = `test-${randomUUID()}`;
      const shared = { REDIS_URL: redis.url, KEY_PREFIX: keyPrefix, LOG_LEVEL: 'info', AUDIT_LOG: '/dev/null' };
      service = new ServiceProcess({ ...shared, DRAIN_MS: '200', LEAVE_DELAY_MS: '0', ROLE: 'all' });
      const client = new RpcClient(await service.ready());
      const send = async (): Promise<string> => {
        const message = aMessage('60', { skillId: 'countdown' });
        return (await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } })).id;
      };
      const running = await send();
      await eventually(async () => {
        expect((await client.task('GetTask', { id: running })).artifacts).toHaveLength(1);
      });
      // One active job is all that the queue gives out from now on, and another worker has it.
      const prefix = queuePrefix(keyPrefix);
      const queue = new Queue(RUN_QUEUE, { connection: connectionOf(redis.url), prefix });
      keeper = await keepTheOnlyJob(queue, redis.url, prefix);
      await queue.add('wake', {}, { jobId: 'w1' });
      await queue.close();

      expect(await service.exited).toBe(1);
      const output = service.output.join('\n');
      expect(output).toContain('"worker.wedged"');
      expect(output).toMatch(/"skill.ran".*"ending":"leaving"/);
    },
    TIMEOUT_MS,
  );
});
