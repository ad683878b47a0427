import { survive } from '../../load/survive.js';
import { type Scenario, unless } from '../../scenario.js';

/** Processes with all roles, which begin the runs of their own callers themselves, are killed while they do. */
export const local: Scenario = {
  name: 'local',
  what: 'one of a few processes that have all roles and begin runs themselves is killed every second',
  tasks: { usual: 500, full: 3_000 },
  settings: { processes: 3, standby: 3, least: 1, callers: 12, slots: 4, 'kill-every-ms': 1_000, 'timeout-s': 600 },

  async run({ tasks, random, setting }) {
    const { fleet, seconds, figures, broken, summary, findings } = await survive(
      {
        fleet: {
          size: { all: setting('processes') },
          standby: { all: setting('standby') },
          // Few slots: runs begin where they are, and also from the fair queue, in the round trip of a commit.
          variables: { WORKER_CONCURRENCY: String(setting('slots')) },
          taskOptions: { maxAttempts: 100 },
        },
        workload: {
          ...{ tasks, callers: setting('callers'), steps: [1, 4], pauseMs: [0, 30] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.05, hookedShare: 0.02 },
        },
        timeoutMs: setting('timeout-s') * 1000,
        harm: (harmed, work) =>
          harmed.killWhile(work, {
            ...{ role: 'all', everyMs: setting('kill-every-ms'), least: setting('least'), random },
          }),
      },
      random,
    );
    return {
      figures: { ...figures, seconds },
      summary: `${summary}; ${String(fleet.kills.length)} kills, ${String(findings.reruns)} re-runs, ${String(seconds)} s`,
      broken: [...broken, ...unless({ 'nobody was killed': fleet.kills.length > 0 })],
      late: [],
    };
  },
};
