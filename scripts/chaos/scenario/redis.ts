import { setTimeout as pause } from 'node:timers/promises';
import { Fleet } from '../fleet.js';
import type { Scenario } from '../scenario.js';
import { verdict } from '../verdict.js';
import { Workload } from '../workload.js';

/** Redis itself is killed and started again on its append-only file, and workers die meanwhile. */
export const redis: Scenario = {
  name: 'redis',
  what: 'Redis is killed every 6 s and is away for 1.5 s, and a worker dies every 3 s',
  usualTasks: 500,

  async run({ tasks, random, number }) {
    const fleet = await Fleet.start({
      size: { api: 1, worker: number('workers', 4), dispatcher: 1 },
      standby: { worker: number('standby', 2) },
      taskOptions: { maxAttempts: 100 },
    });
    try {
      const workload = new Workload(
        { tasks, callers: 8, canceledShare: 0.05, askingShare: 0.1, steps: [2, 8], pauseMs: [20, 100] },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      const killing = setInterval(() => fleet.killOne('worker', random, 2), number('worker-kill-every-ms', 3000));
      const over = new AbortController();
      const crashing = crashAgainAndAgain(fleet, number('redis-kill-every-ms', 6000), over.signal);
      await workload.run(number('timeout-s', 900) * 1000).finally(() => {
        clearInterval(killing);
        over.abort();
      });
      const redisKills = await crashing;
      return await verdict(fleet, workload.history, { redisKills, seconds: Math.round((Date.now() - began) / 1000) });
    } finally {
      await fleet.stop();
    }
  },
};

async function crashAgainAndAgain(fleet: Fleet, everyMs: number, over: AbortSignal): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await pause(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return kills;
    await fleet.redis.kill();
    await pause(1500);
    await fleet.redis.launch();
  }
}
