import { describe, expect, it, jest } from '@jest/globals';
import { api } from '../scenario/caller/api.js';
import { local } from '../scenario/run/local.js';
import { redis } from '../scenario/redis/redis.js';
import { workers } from '../scenario/run/workers.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('while workers are killed', async () => {
    const settings = { workers: 2, standby: 1, least: 1, 'kill-every-ms': 400 };
    const { figures } = await reportOf(workers, { tasks: 150, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });

  it('while Redis is killed, its file kept', () => {
    const settings = { workers: 2, standby: 0, 'redis-kill-every-ms': 1_500 };
    return reportOf(redis, { tasks: 50, settings });
  });

  it('while replicas of the API are killed (A2A-SEND-14, SEED-49)', () =>
    reportOf(api, { tasks: 150, settings: { apis: 2, standby: 1, workers: 1, 'kill-every-ms': 200 } }));

  it('while processes that begin runs themselves are killed', async () => {
    const settings = { processes: 2, standby: 1, 'kill-every-ms': 500 };
    const { figures } = await reportOf(local, { tasks: 80, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });
});
