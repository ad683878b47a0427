import { describe, it, jest } from '@jest/globals';
import { points } from '../scenario/run/points.js';
import { progress } from '../scenario/run/progress.js';
import { waiting } from '../scenario/caller/waiting.js';
import { wakes } from '../scenario/redis/wakes.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('for tasks that sleep while workers are killed', () => {
    const settings = { 'idle-s': 1, 'park-s': 5, 'asleep-s': 1, 'wake-s': 8, 'kill-every-ms': 3_000 };
    return reportOf(waiting, { tasks: 100, settings });
  });

  it('at named points of a run: taken and not begun, ended, before and after a park, at a wake', () =>
    reportOf(points, { tasks: 8, settings: { workers: 3, standby: 2, passes: 1, kills: 1 } }));

  it('for runs whose wake-ups are lost', () => reportOf(wakes, { tasks: 10 }));

  it('for a task that makes progress and loses its worker more often than it has attempts', () =>
    reportOf(progress, { tasks: 1, settings: { steps: 30, 'step-ms': 500, 'kill-every-ms': 5_000, standby: 1 } }));
});
