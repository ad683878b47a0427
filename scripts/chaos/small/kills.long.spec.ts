import { describe, expect, it, jest } from '@jest/globals';
import { api } from '../scenario/api.js';
import { drain } from '../scenario/drain.js';
import { local } from '../scenario/local.js';
import { neighbours } from '../scenario/neighbours.js';
import { outage } from '../scenario/outage.js';
import { poison } from '../scenario/poison.js';
import { redis } from '../scenario/redis.js';
import { stopped } from '../scenario/stopped.js';
import { workers } from '../scenario/workers.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('while workers are killed', async () => {
    const settings = { workers: 2, standby: 1, least: 1, 'kill-every-ms': 400 };
    const { figures } = await reportOf(workers, { tasks: 300, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });

  it('while Redis is killed, its file kept', () => {
    const settings = { workers: 2, standby: 0, 'redis-kill-every-ms': 1_500 };
    return reportOf(redis, { tasks: 80, settings });
  });

  it('while replicas of the API are killed (A2A-SEND-14, SEED-49)', () =>
    reportOf(api, { tasks: 300, settings: { apis: 2, standby: 1, workers: 1, 'kill-every-ms': 200 } }));

  it('for a skill that kills whichever worker runs it', () =>
    reportOf(poison, { tasks: 10, settings: { workers: 2, standby: 1 } }));

  it('for tasks beside one that blocks, kills or fills its worker (H2, I17)', () =>
    reportOf(neighbours, { tasks: 20, settings: { rounds: 3, standby: 1, 'block-ms': 5_000 } }));

  it('while Redis is away for 3 s', () => reportOf(outage, { settings: { longest: 3 } }));

  it('for callers while processes are replaced', () =>
    reportOf(drain, { settings: { apis: 2, workers: 1, dispatchers: 1, callers: 3 } }));

  it('while processes that begin runs themselves are killed', async () => {
    const settings = { processes: 2, standby: 1, 'kill-every-ms': 500 };
    const { figures } = await reportOf(local, { tasks: 150, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });

  it('for workers that are stopped for longer than their leases, and go on', () =>
    reportOf(stopped, { tasks: 300, settings: { workers: 2 } }));
});
