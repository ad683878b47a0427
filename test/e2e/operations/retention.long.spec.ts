import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { queuePrefix } from '../../../src/platform/queue/wake-up-queue.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { eventually } from '../../kit/run/eventually.js';
import { storedKeys } from '../../kit/redis/redis-keys.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

const TASKS = 400;
/** What BullMQ keeps of a queue, however many jobs there were: its settings, and at most 1,000 of its last events. */
const OF_A_QUEUE = /:(meta|events|id|marker|stalled-check|stalled)$/;

/** What is known of a receiver for 30 days: as much as there are receivers. */
const OF_RECEIVERS = ':{w';

describe('a service that keeps finished tasks for a second', () => {
  let receiver: Receiver;
  let service: RunningApp;

  beforeAll(async () => {
    receiver = await new Receiver().listen();
    service = await runApp({
      ...{
        KEEP_FINISHED_SECONDS: '1',
        RATE_WRITE: '600000/10000',
        QUOTA_LIVE_TASKS: '100000',
      },
      EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http`,
    });
  }, 60_000);

  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  it(`has nothing left of ${TASKS} tasks and their webhooks a little later, in its own keys and in the queues`, async () => {
    const client = new RpcClient(service.url);
    const configuration = { taskPushNotificationConfig: { url: receiver.url, events: ['TASK_STATE_COMPLETED'] } };
    for (let done = 0; done < TASKS; done += 20) {
      const calls = Array.from({ length: 20 }, () =>
        client.task('SendMessage', { ...aMessage('soon forgotten', { skillId: 'echo' }), configuration }),
      );
      await Promise.all(calls);
    }

    await eventually(async () => expect(await lasting()).toEqual([]), { timeoutMs: 30_000, intervalMs: 200 });
    const queues = await storedKeys(queuePrefix(service.keyPrefix));
    expect(queues.filter((key) => !OF_A_QUEUE.test(key))).toEqual([]);
    const pushes = await storedKeys(`{${service.keyPrefix}-push}`);
    expect(pushes.filter((key) => !OF_A_QUEUE.test(key))).toEqual([]);
  }, 90_000);

  /** The keys that no time of their own ends within a minute. */
  async function lasting(): Promise<readonly string[]> {
    const redis = new Redis(testRedisUrl());
    try {
      const keys = (await storedKeys(service.keyPrefix)).filter((key) => !key.includes(OF_RECEIVERS));
      const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
      return keys.filter((_key, at) => ttls[at] === -1 || (ttls[at] ?? 0) > 60_000);
    } finally {
      redis.disconnect();
    }
  }
});
