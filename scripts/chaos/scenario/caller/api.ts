import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import { verdict } from '../../check/verdict.js';
import { Workload } from '../../load/workload.js';

/** Replicas of the API die in the middle of SendMessage; callers repeat the message until they have an answer. */
export const api: Scenario = {
  name: 'api',
  what: 'a replica of the API is killed every 700 ms while callers send and repeat messages',
  tasks: { usual: 1_000, full: 5_000 },
  settings: { apis: 3, standby: 3, workers: 2, callers: 16, 'kill-every-ms': 700, 'timeout-s': 900 },

  async run({ tasks, random, setting }) {
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
      standby: { api: setting('standby') },
    });
    try {
      const workload = new Workload(
        {
          ...{ tasks, callers: setting('callers'), steps: [1, 1], pauseMs: [0, 5] },
          ...{ canceledShare: 0, askingShare: 0, readShare: 0 },
        },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      await fleet.killWhile(() => workload.run(setting('timeout-s') * 1000), {
        ...{ role: 'api', everyMs: setting('kill-every-ms'), least: 1, random },
      });
      const seconds = Math.round((Date.now() - began) / 1000);
      const { figures, broken, summary, findings } = await verdict(fleet, workload.history);
      const promises = unless({
        'accepted tasks were not completed': findings.completed === tasks,
        'no replica was killed': fleet.kills.length > 0,
      });
      const { tries } = workload.history;
      return {
        figures: { ...figures, seconds },
        summary: `${summary}; ${tries} calls for ${tasks} messages, ${fleet.kills.length} kills, ${seconds} s`,
        broken: [...broken, ...promises],
        late: [],
      };
    } finally {
      await fleet.stop();
    }
  },
};
