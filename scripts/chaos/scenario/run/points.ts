import { fallAtPoints, fallPromises, fallsOf, fallText } from '../../load/fall-at-points.js';
import { type Scenario, unless } from '../../scenario.js';
import { survive } from '../../load/survive.js';

/** Points at which processes end themselves, by their role: kill-points.mjs explains each. */
const WORKER_POINTS = ['taken', 'ended', 'before-park', 'after-park', 'at-wake'];
const DISPATCHER_POINTS = ['swept'];

/** Processes kill themselves at named points of a run's life, each at one of its next passes; all points in one fleet. */
export const points: Scenario = {
  name: 'points',
  what: `processes kill themselves at named points: ${[...WORKER_POINTS, ...DISPATCHER_POINTS].join(', ')}`,
  tasks: { usual: 30, full: 60 },
  settings: { workers: 3, dispatchers: 2, standby: 3, passes: 6, callers: 6, kills: 10, 'timeout-s': 300 },

  async run({ tasks, random, setting, say }) {
    const kills = setting('kills');
    const killAt = {
      worker: { points: WORKER_POINTS, passes: setting('passes'), kills },
      // The sweep ends many waits in one pass.
      dispatcher: { points: DISPATCHER_POINTS, passes: 1, kills },
    };
    const survived = await survive(
      {
        fleet: {
          size: { api: 1, worker: setting('workers'), dispatcher: setting('dispatchers') },
          standby: { worker: setting('standby'), dispatcher: 1 },
          // Few slots: a process that dies takes few runs with it, and the others make progress.
          variables: { WORKER_CONCURRENCY: '3' },
          taskOptions: { maxAttempts: 100 },
          killAt,
        },
        workload: {
          ...{ tasks, skillIds: ['naps', 'steps'], callers: setting('callers'), steps: [1, 4], pauseMs: [60, 300] },
          ...{ canceledShare: 0.05, askingShare: 0.05, readShare: 0.1, hookedShare: 0.05 },
        },
        timeoutMs: setting('timeout-s') * 1000,
        harm: (fleet, work) =>
          fallAtPoints(fleet, killAt, async () => {
            await work();
            say(`crashes: ${fallText(fallsOf(fleet, killAt))}`);
          }),
      },
      random,
    );
    const falls = fallsOf(survived.fleet, killAt);
    return {
      figures: { fallen: falls, seconds: survived.seconds, faults: survived.findings },
      summary: `${survived.summary}; crashes: ${fallText(falls)}`,
      broken: [...survived.broken, ...unless(fallPromises(falls, kills))],
      late: [],
    };
  },
};
