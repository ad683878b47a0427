import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createApp } from '../../../src/main/bootstrap.js';
import type { Redis } from 'ioredis';
import { CommandRedis, RunRedis, SubscriberRedis } from '../../../src/platform/redis/connection/connections.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { HealthController } from '../../../src/http/health/health.controller.js';
import { ReadinessLog } from '../../../src/http/health/readiness-log.js';
import { Lifecycle } from '../../../src/http/health/lifecycle.js';
import { RedisWatch } from '../../../src/platform/redis/health/redis-watch.js';
import type { ProgressWatchdog } from '../../../src/platform/queue/progress-watchdog.js';
import { PushWatchdog } from '../../../src/webhooks/delivery/push.watchdog.js';
import { RunWatchdog } from '../../../src/runs/worker/run.watchdog.js';
import { useAppOnOwnRedis } from '../../kit/app/own-redis.js';
import { eventually } from '../../kit/run/eventually.js';
import { skipTime } from '../../kit/run/skipped-time.js';

interface Probe {
  readonly status: number;
  readonly body: {
    readonly status: string;
    readonly details: Record<string, { status: string; message?: string; stage?: string; running?: number }>;
  };
}

let own: ReturnType<typeof useAppOnOwnRedis>;

async function probe(name: string): Promise<Probe> {
  const response = await fetch(`${own.service.url}/health/${name}`);
  return { status: response.status, body: (await response.json()) as Probe['body'] };
}

describe(HealthController.name, () => {
  own = useAppOnOwnRedis();

  it('answers all three probes with reasons once the service serves', async () => {
    const live = await probe('live');
    expect(live.status).toBe(200);
    expect(live.body.details.progress).toMatchObject({ status: 'up', running: 0 });
    expect(live.body.details.deliveries).toMatchObject({ status: 'up', running: 0 });
    const ready = await probe('ready');
    expect(ready.status).toBe(200);
    expect(ready.body.details).toMatchObject({
      process: { status: 'up', stage: 'serving' },
      redis: { status: 'up', message: 'Redis answers', awaySeconds: 0, warnings: [] },
    });
    const { connections = {} } = ready.body.details.redis as { connections?: Readonly<Record<string, string>> };
    expect(Object.keys(connections).filter((name) => !name.startsWith('run {'))).toEqual([
      'command',
      'run',
      'subscriber',
    ]);
    // Two queues, and a worker of BullMQ for each.
    expect(Object.keys(connections)).toHaveLength(5);
    expect(new Set(Object.values(connections))).toEqual(new Set(['ready']));
    expect((await probe('startup')).status).toBe(200);
  });

  it('names product and version of Redis to operators (FITS-07)', async () => {
    const { redis } = (await probe('ready')).body.details as { redis?: { server?: string } };
    expect(redis?.server).toMatch(/^(?:Redis|Valkey) \d+\.\d/);
  });

  it('has not started before everything is built up', async () => {
    const environment = loadConfig({ LOG_LEVEL: 'silent', AUDIT_LOG: devNull, KEY_PREFIX: `test-${randomUUID()}` });
    const app = await createApp({ environment, redisUrl: own.redis.url, version: '0.0.0-test' });
    const startup = app.get(HealthController, { strict: false }).startup();
    await expect(startup).rejects.toMatchObject({
      status: 503,
      response: { details: { process: { status: 'down', stage: 'starting' } } },
    });
    await app.close();
  });

  it.each([
    { name: 'progress', type: RunWatchdog },
    { name: 'deliveries', type: PushWatchdog },
  ])('is to be restarted when nothing is fetched any more, and says so: $name', async ({ name, type }) => {
    const watchdog = own.service.app.get<ProgressWatchdog>(type, { strict: false });
    // What makes a worker fall asleep is a fault of a library that cannot be had on demand.
    Object.defineProperty(watchdog, 'isStuck', { value: true, configurable: true });
    const { status, body } = await probe('live');
    Reflect.deleteProperty(watchdog, 'isStuck');
    expect(status).toBe(503);
    expect(body.details[name]).toMatchObject({
      status: 'down',
      message: expect.stringContaining('nothing is fetched'),
    });
    expect((await probe('live')).status).toBe(200);
  });

  it('is not ready while Redis may drop tasks, and says how to fix it', async () => {
    await own.redis.set('maxmemory-policy', 'allkeys-lru');
    const watch = own.service.app.get(RedisWatch, { strict: false });
    for (let look = 0; look < 6; look += 1) await watch.check();
    const lost = jest.spyOn(Logger.prototype, 'error');
    const log = own.service.app.get(ReadinessLog, { strict: false });
    await log.check();
    expect(lost).toHaveBeenCalledWith({
      event: 'ready.lost',
      reasons: [expect.stringMatching(/^redis: .*set it to noeviction/)],
    });
    const { status, body } = await probe('ready');
    expect(status).toBe(503);
    expect(body.details.redis?.message).toContain('set it to noeviction');
    await own.redis.set('maxmemory-policy', 'noeviction');
    for (let look = 0; look < 6; look += 1) await watch.check();
    expect((await probe('ready')).status).toBe(200);
    const again = jest.spyOn(Logger.prototype, 'log');
    await log.check();
    expect(again).toHaveBeenCalledWith({ event: 'ready.again' });
    jest.restoreAllMocks();
  });

  it.each([
    ['command', CommandRedis],
    ['run', RunRedis],
    ['subscriber', SubscriberRedis],
  ] as const)('names the connection that answers nothing: %s (I18)', async (name, token) => {
    const client = own.service.app.get<Redis>(token, { strict: false });
    const watch = own.service.app.get(RedisWatch, { strict: false });
    client.stream.pause();
    await watch.check();
    expect(watch.report().connections[name]).toMatch(/^gone for/);
    client.stream.resume();
    await watch.check();
    expect(watch.report().connections[name]).toBe('ready');
  });

  it('stays live and ready through a short outage of Redis, and says that it is away', async () => {
    await own.redis.kill();
    await own.service.app.get(RedisWatch, { strict: false }).check();
    expect((await probe('live')).status).toBe(200);
    const { status, body } = await probe('ready');
    expect(status).toBe(200);
    expect(body.details.redis?.message).toBe('Redis does not answer just now');
    await own.redis.launch();
  }, 30_000);

  describe('with a connection that does not come back by itself', () => {
    const GONE_MS = 181_000;

    // Set back, the clock would be behind what the checks have seen.
    afterAll(() => {
      jest.restoreAllMocks();
    });

    it('is to be restarted after three minutes, and names the connection (I18, C1)', async () => {
      const client = own.service.app.get<Redis>(SubscriberRedis, { strict: false });
      const watch = own.service.app.get(RedisWatch, { strict: false });
      await eventually(async () => {
        await watch.check();
        expect(new Set(Object.values(watch.report().connections))).toEqual(new Set(['ready']));
      });
      const silence = (): void => void client.stream.pause();
      silence();
      client.on('connect', silence);
      const error = jest.spyOn(Logger.prototype, 'error');
      skipTime(GONE_MS);
      await watch.check();
      const { status, body } = await probe('live');
      expect(status).toBe(503);
      expect(body.details.connections).toMatchObject({
        status: 'down',
        message: expect.stringMatching(/: subscriber$/),
      });
      expect(error).toHaveBeenCalledWith({ event: 'redis.stuck', connections: ['subscriber'] });
      expect((await probe('ready')).body.details.redis?.message).toContain('(connection: subscriber)');
      client.off('connect', silence);
      client.disconnect(true);
      await eventually(async () => {
        await watch.check();
        expect((await probe('live')).status).toBe(200);
      });
      expect((await probe('ready')).status).toBe(200);
    });

    it('is not to be restarted while Redis itself is away, however long', async () => {
      await own.redis.kill();
      skipTime(GONE_MS);
      const watch = own.service.app.get(RedisWatch, { strict: false });
      await watch.check();
      expect((await probe('live')).status).toBe(200);
      expect((await probe('ready')).status).toBe(503);
      await own.redis.launch();
      await eventually(async () => {
        await watch.check();
        expect((await probe('ready')).status).toBe(200);
      });
    }, 30_000);
  });

  it('is live but not ready when the process drains', async () => {
    own.service.app.get(Lifecycle, { strict: false }).leave();
    const { status, body } = await probe('ready');
    expect(status).toBe(503);
    expect(body.details.process).toMatchObject({ status: 'down', stage: 'draining' });
    expect((await probe('live')).status).toBe(200);
  });
});
