import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { queuePrefix } from '../../../src/platform/queue/job-queue.js';
import { RUN_QUEUE } from '../../../src/run/queue/run.queue.js';
import { eventually } from '../../kit/eventually.js';
import { RedisServer } from '../../kit/redis-server.js';
import { aMessage, RpcClient } from '../../kit/rpc-client.js';
import { ServiceProcess } from '../../kit/service-process.mjs';

/** Four looks of the watchdog, five seconds apart, and the end of the process. */
const TIMEOUT_MS = 90_000;

describe('a worker that fetches nothing although runs wait and slots are free (D9)', () => {
  let redis: RedisServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  afterAll(async () => {
    await service.stop('SIGKILL');
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
      // One active job is all that the queue gives out from now on: to its workers that looks like a queue that has none.
      const { hostname: host, port } = new URL(redis.url);
      const queue = new Queue(RUN_QUEUE, { connection: { host, port: Number(port) }, prefix: queuePrefix(keyPrefix) });
      await queue.setGlobalConcurrency(1);
      await queue.close();
      await send();

      expect(await service.exited).toBe(1);
      const output = service.output.join('\n');
      expect(output).toContain('"worker.wedged"');
      expect(output).toMatch(/"skill.ran".*"ending":"leaving"/);
    },
    TIMEOUT_MS,
  );
});
