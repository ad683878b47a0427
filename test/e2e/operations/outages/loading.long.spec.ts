import { describe, expect, it } from '@jest/globals';
import { freeLoopbackPort } from '../../../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../../kit/run/eventually.js';
import { slowlyLoadingServer } from '../../../kit/redis/loading-redis.js';
import { RedisServer } from '../../../kit/redis/redis-server.js';
import { SlowWire } from '../../../kit/redis/topology/slow-wire.js';
import { ServiceProcess } from '../../../kit/app/service-process.mjs';

const TIMEOUT_MS = 60_000;

describe('the start of a process', () => {
  it(
    'waits for a Redis that is loading: live, not started, with the progress in both',
    async () => {
      const redis = await slowlyLoadingServer();
      let service: ServiceProcess | undefined;
      try {
        const PORT = String(await freeLoopbackPort());
        const launched = redis.launch();
        service = new ServiceProcess({ REDIS_URL: redis.url, PORT });
        const startup = await eventually(async () => fetch(`http://127.0.0.1:${PORT}/health/startup`), {
          timeoutMs: 20_000,
        });
        expect(startup.status).toBe(503);
        expect(await startup.text()).toMatch(/Redis is loading its data: \d+ %/);
        expect((await fetch(`http://127.0.0.1:${PORT}/health/live`)).status).toBe(200);
        const [url] = await Promise.all([service.ready(), launched]);
        expect((await fetch(`${url}/health/startup`)).status).toBe(200);
        expect(service.output[0]).toMatch(/"event":"redis.loading".*"percent":/);
      } finally {
        await service?.stop('SIGKILL');
        await redis.stop();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'waits for a Redis that takes connections and does not answer, and says so (L6)',
    async () => {
      const redis = await RedisServer.start();
      const PORT = String(await freeLoopbackPort());
      redis.signal('SIGSTOP');
      const service = new ServiceProcess({ REDIS_URL: redis.url, PORT });
      try {
        const startup = await eventually(async () => fetch(`http://127.0.0.1:${PORT}/health/startup`), {
          timeoutMs: 30_000,
        });
        expect(startup.status).toBe(503);
        expect(await startup.text()).toContain('Redis takes connections and does not answer yet');
        expect((await fetch(`http://127.0.0.1:${PORT}/health/ready`)).status).toBe(503);
        expect(service.output.join('\n')).toContain('"event":"redis.awaited"');
        redis.signal('SIGCONT');
        const url = await service.ready();
        expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      } finally {
        redis.signal('SIGCONT');
        await service.stop('SIGKILL');
        await redis.stop();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'goes on when Redis is silent for a while from any of its first connections on (L6)',
    async () => {
      const redis = await RedisServer.start();
      try {
        await Promise.all([1, 2, 3, 4, 6].map((connection) => startsBehind(redis, connection)));
      } finally {
        await redis.stop();
      }
    },
    2 * TIMEOUT_MS,
  );
});

/** Starts a service whose n-th connection, and all later ones, are served only once the service answers probes. */
async function startsBehind(redis: RedisServer, connection: number): Promise<void> {
  const wire = await SlowWire.before(redis.port, 0);
  wire.holdFrom(connection);
  const PORT = String(await freeLoopbackPort());
  const service = new ServiceProcess({ REDIS_URL: `redis://127.0.0.1:${wire.port}`, PORT });
  try {
    await eventually(async () => fetch(`http://127.0.0.1:${PORT}/health/startup`), { timeoutMs: TIMEOUT_MS });
    wire.release();
    const url = await service.ready();
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200));
  } finally {
    wire.close();
    await service.stop('SIGKILL');
  }
}
