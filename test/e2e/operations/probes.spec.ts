import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthController } from '../../../src/health/health.controller.js';
import { Lifecycle } from '../../../src/health/lifecycle.js';
import { RedisWatch } from '../../../src/health/redis-watch.js';
import { RedisServer } from '../../support/redis-server.js';
import { runApp, type RunningApp } from '../../support/running-app.js';

interface Probe {
  readonly status: number;
  readonly body: {
    readonly status: string;
    readonly details: Record<string, { status: string; message?: string; stage?: string; running?: number }>;
  };
}

let redis: RedisServer;
let service: RunningApp;

beforeAll(async () => {
  redis = await RedisServer.start();
  service = await runApp({ REDIS_URL: redis.url });
}, 60_000);

afterAll(async () => {
  // The server ends even when the service did not start.
  try {
    await service.close();
  } finally {
    await redis.stop();
  }
}, 60_000);

async function probe(name: string): Promise<Probe> {
  const response = await fetch(`${service.url}/health/${name}`);
  return { status: response.status, body: (await response.json()) as Probe['body'] };
}

describe(HealthController.name, () => {
  it('answers all three probes with reasons once the service serves', async () => {
    const live = await probe('live');
    expect(live.status).toBe(200);
    expect(live.body.details.progress).toMatchObject({ status: 'up', running: 0 });
    const ready = await probe('ready');
    expect(ready.status).toBe(200);
    expect(ready.body.details).toMatchObject({
      process: { status: 'up', stage: 'serving' },
      redis: { status: 'up', message: 'Redis answers', awaySeconds: 0, warnings: [] },
    });
    expect((await probe('startup')).status).toBe(200);
  });

  it('is not ready while Redis may drop tasks, and says how to mend it', async () => {
    await redis.set('maxmemory-policy', 'allkeys-lru');
    const watch = service.app.get(RedisWatch, { strict: false });
    for (let look = 0; look < 6; look += 1) await watch.look();
    const { status, body } = await probe('ready');
    expect(status).toBe(503);
    expect(body.details.redis?.message).toContain('set it to noeviction');
    await redis.set('maxmemory-policy', 'noeviction');
    for (let look = 0; look < 6; look += 1) await watch.look();
    expect((await probe('ready')).status).toBe(200);
  });

  it('stays live and ready through a short outage of Redis, and says that it is away', async () => {
    await redis.kill();
    await service.app.get(RedisWatch, { strict: false }).look();
    expect((await probe('live')).status).toBe(200);
    const { status, body } = await probe('ready');
    expect(status).toBe(200);
    expect(body.details.redis?.message).toBe('Redis does not answer just now');
    await redis.launch();
  }, 30_000);

  it('is live but not ready when the process drains', async () => {
    service.app.get(Lifecycle, { strict: false }).leave();
    const { status, body } = await probe('ready');
    expect(status).toBe(503);
    expect(body.details.process).toMatchObject({ status: 'down', stage: 'draining' });
    expect((await probe('live')).status).toBe(200);
  });
});
