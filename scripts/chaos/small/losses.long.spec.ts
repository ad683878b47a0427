import { describe, it, jest } from '@jest/globals';
import { drain } from '../scenario/caller/drain.js';
import { neighbours } from '../scenario/run/neighbours.js';
import { outage } from '../scenario/redis/outage.js';
import { poison } from '../scenario/run/poison.js';
import { stopped } from '../scenario/redis/stopped.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('for a skill that kills whichever worker runs it', () =>
    reportOf(poison, { tasks: 10, settings: { poisons: 1, workers: 2, standby: 1 } }));

  it('for tasks beside one that blocks, kills or fills its worker (H2, I17)', () =>
    reportOf(neighbours, { tasks: 10, settings: { rounds: 3, standby: 1, 'block-ms': 5_000 } }));

  it('while Redis is away for 3 s', () => reportOf(outage, { settings: { longest: 3 } }));

  it('for callers while processes are replaced', () =>
    reportOf(drain, { settings: { apis: 2, workers: 1, dispatchers: 1, callers: 3 } }));

  it('for workers that are stopped for longer than their leases, and continue', () =>
    reportOf(stopped, { tasks: 300, settings: { workers: 2 } }));
});
