import { Fleet } from '../fleet.js';
import { type Scenario, unless } from '../scenario.js';
import { verdict } from '../verdict.js';
import { Workload } from '../workload.js';

/** Replicas of the API die in the middle of SendMessage; callers repeat the message until they have an answer. */
export const api: Scenario = {
  name: 'api',
  what: 'a replica of the API is killed every 700 ms while callers send and repeat messages',
  usualTasks: 1_000,

  async run({ tasks, random, number }) {
    const fleet = await Fleet.start({
      size: { api: number('apis', 3), worker: 2, dispatcher: 1 },
      standby: { api: number('standby', 3) },
    });
    try {
      const workload = new Workload(
        { tasks, callers: 16, canceledShare: 0, askingShare: 0, steps: [1, 1], pauseMs: [0, 5] },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      const killing = setInterval(() => fleet.killOne('api', random, 1), number('kill-every-ms', 700));
      await workload.run(number('timeout-s', 900) * 1000).finally(() => {
        clearInterval(killing);
      });
      const outcome = await verdict(fleet, workload.history, { seconds: Math.round((Date.now() - began) / 1000) });
      const { completed } = outcome.findings;
      const promises = unless({ 'accepted tasks were not completed': completed === tasks });
      return { figures: outcome.figures, broken: [...outcome.broken, ...promises] };
    } finally {
      await fleet.stop();
    }
  },
};
