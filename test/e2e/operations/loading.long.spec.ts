import { describe, expect, it } from '@jest/globals';
import { freeLoopbackPort } from '../../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../kit/run/eventually.js';
import { slowlyLoadingServer } from '../../kit/redis/loading-redis.js';
import { ServiceProcess } from '../../kit/app/service-process.mjs';

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
});
