import { recoveryTimes } from '../../check/checker.js';
import { spread } from '../../check/figures.js';
import { survive } from '../../load/survive.js';
import { type Scenario, unless } from '../../scenario.js';

const FULL = 10_000;
const LONGEST_S = 300;

/** A random worker is killed again and again while it runs skills. */
export const workers: Scenario = {
  name: 'workers',
  what: 'a random worker is killed every half second',
  tasks: { usual: 1_000, full: FULL },
  settings: { workers: 6, standby: 4, least: 2, callers: 16, 'kill-every-ms': 500, 'timeout-s': 900 },

  async run({ tasks, random, setting }) {
    const { fleet, seconds, figures, broken, summary, stored, findings } = await survive(
      {
        fleet: {
          size: { api: 1, worker: setting('workers'), dispatcher: 1 },
          standby: { worker: setting('standby') },
          // Killed again and again, a run may be lost more often than a service would ever see; no task may pay for that.
          taskOptions: { maxAttempts: 100 },
        },
        workload: {
          ...{ tasks, callers: setting('callers'), steps: [1, 5], pauseMs: [5, 60] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.02, hookedShare: 0.02 },
        },
        timeoutMs: setting('timeout-s') * 1000,
        harm: (harmed, work) =>
          harmed.killWhile(work, {
            ...{ role: 'worker', everyMs: setting('kill-every-ms'), least: setting('least'), random },
          }),
      },
      random,
    );
    const { p95 } = spread(recoveryTimes(stored, fleet.kills));
    return {
      figures: { ...figures, seconds },
      summary: `${summary}; ${fleet.kills.length} kills, ${findings.reruns} re-runs (p95 after ${p95} ms), ${seconds} s`,
      broken,
      late: unless({ [`took longer than ${LONGEST_S} s`]: tasks < FULL || seconds <= LONGEST_S }),
    };
  },
};
