import { spread } from '../figures.js';
import { recoveryTimes } from '../checker.js';
import { Fleet } from '../fleet.js';
import { type Scenario, unless } from '../scenario.js';
import { verdict } from '../verdict.js';
import { healthyReceiver } from '../webhook/receivers.js';
import { webhookVariables } from '../webhook/settings.js';
import { Workload } from '../workload.js';

const FULL = 10_000;
const LONGEST_S = 300;

/** A random worker is killed again and again while it runs skills. */
export const workers: Scenario = {
  name: 'workers',
  what: 'a random worker is killed every half second',
  tasks: { usual: 1_000, full: FULL },
  settings: { workers: 6, standby: 4, least: 2, callers: 16, 'kill-every-ms': 500, 'timeout-s': 900 },

  async run({ tasks, random, setting }) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      variables: webhookVariables([receiver]),
      // Killed again and again, a run may be lost more often than a service would ever see; no task may pay for that.
      taskOptions: { maxAttempts: 100 },
    });
    try {
      const workload = new Workload(
        {
          ...{ tasks, callers: setting('callers'), steps: [1, 5], pauseMs: [5, 60] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.02, hooked: { share: 0.02, receiver } },
        },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      const killing = setInterval(() => fleet.killOne('worker', random, setting('least')), setting('kill-every-ms'));
      await workload.run(setting('timeout-s') * 1000).finally(() => {
        clearInterval(killing);
      });
      const seconds = Math.round((Date.now() - began) / 1000);
      const { figures, broken, summary, stored, findings } = await verdict(fleet, workload.history);
      const { p95 } = spread(recoveryTimes(stored, fleet.kills));
      return {
        figures: { ...figures, seconds },
        summary: `${summary}; ${fleet.kills.length} kills, ${findings.reruns} re-runs (p95 after ${p95} ms), ${seconds} s`,
        broken,
        late: unless({ [`took longer than ${LONGEST_S} s`]: tasks < FULL || seconds <= LONGEST_S }),
      };
    } finally {
      await fleet.stop();
      await receiver.close();
    }
  },
};
