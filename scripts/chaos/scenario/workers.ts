import { Fleet } from '../fleet.js';
import type { Scenario } from '../scenario.js';
import { verdict } from '../verdict.js';
import { Workload } from '../workload.js';

/** A random worker is killed again and again while it runs skills. */
export const workers: Scenario = {
  name: 'workers',
  what: 'a random worker is killed every half second',
  usualTasks: 1_000,

  async run({ tasks, random, say, number }) {
    const killEveryMs = number('kill-every-ms', 500);
    const fleet = await Fleet.start({
      size: { api: 1, worker: number('workers', 6), dispatcher: 1 },
      standby: { worker: number('standby', 4) },
      // Killed again and again, a run may be lost more often than a service would ever see; no task may pay for that.
      taskOptions: { maxAttempts: 100 },
    });
    try {
      say(`${fleet.up('worker').length} workers are up`);
      const workload = new Workload(
        { tasks, callers: 8, canceledShare: 0.05, askingShare: 0.1, steps: [1, 5], pauseMs: [5, 60] },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      const killing = setInterval(() => fleet.killOne('worker', random, number('least', 2)), killEveryMs);
      await workload.run(number('timeout-s', 900) * 1000).finally(() => {
        clearInterval(killing);
      });
      return await verdict(fleet, workload.history, { seconds: Math.round((Date.now() - began) / 1000) });
    } finally {
      await fleet.stop();
    }
  },
};
