import { setTimeout as pause } from 'node:timers/promises';
import { survive } from '../../load/survive.js';
import { type Scenario, unless } from '../../scenario.js';

/** Workers hang for longer than their leases, and then continue. */
export const stopped: Scenario = {
  name: 'stopped',
  what: 'a worker is paused by SIGSTOP for three leases, again and again, and continues runs that others have claimed',
  tasks: { usual: 300, full: 2_000 },
  settings: { workers: 4, callers: 8, 'stop-ms': 9_500, 'every-ms': 1_000, 'timeout-s': 600 },

  async run({ tasks, random, setting }) {
    let stops = 0;
    const { seconds, figures, broken, summary, findings } = await survive(
      {
        fleet: {
          size: { api: 1, worker: setting('workers'), dispatcher: 1 },
          standby: {},
          taskOptions: { maxAttempts: 100 },
        },
        workload: {
          ...{ tasks, callers: setting('callers'), steps: [2, 8], pauseMs: [20, 200] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.05, hookedShare: 0.05 },
        },
        timeoutMs: setting('timeout-s') * 1000,
        harm: async (fleet, work) => {
          const over = new AbortController();
          const stopping = (async () => {
            while (!over.signal.aborted) {
              // First some work, so that a worker is stopped that has runs.
              await pause(setting('every-ms'));
              stops += 1;
              await fleet.stopOne('worker', random, setting('stop-ms'));
            }
          })();
          await work().finally(() => {
            over.abort();
          });
          await stopping;
        },
      },
      random,
    );
    return {
      figures: { ...figures, stops, seconds },
      summary: `${summary}; ${String(stops)} stops of ${String(setting('stop-ms'))} ms, ${String(findings.reruns)} re-runs, ${String(seconds)} s`,
      broken: [...broken, ...unless({ 'no run was taken over': findings.reruns > 0 })],
      late: [],
    };
  },
};
