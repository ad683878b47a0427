import { setTimeout as pause } from 'node:timers/promises';
import { Fleet } from '../fleet.js';
import type { Random } from '../random.js';
import { type Scenario, type ScenarioOptions, unless } from '../scenario.js';
import { verdict } from '../verdict.js';
import { healthyReceiver } from '../webhook/receivers.js';
import { webhookVariables } from '../webhook/settings.js';
import { Workload } from '../workload.js';

const FULL = 2_000;
const LONGEST_S = 240;

/** Redis itself is killed and started again on its append-only file, and workers die meanwhile. */
export const redis: Scenario = {
  name: 'redis',
  what: 'Redis is killed every 6 s and is away for 1.5 s, and a worker dies every 3 s',
  tasks: { usual: 500, full: FULL },
  settings: {
    ...{ workers: 4, standby: 2, least: 2, callers: 8, 'timeout-s': 900 },
    ...{ 'redis-kill-every-ms': 6_000, 'worker-kill-every-ms': 3_000 },
  },

  async run({ tasks, random, setting }) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      variables: webhookVariables([receiver]),
      taskOptions: { maxAttempts: 100 },
      mayFailToStart: true,
    });
    try {
      const workload = new Workload(
        {
          ...{ tasks, callers: setting('callers'), steps: [2, 8], pauseMs: [20, 100] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.05, hooked: { share: 0.05, receiver } },
        },
        () => fleet.apis,
        random,
      );
      const began = Date.now();
      const redisKills = await underCrashes(fleet, random, setting, () => workload.run(setting('timeout-s') * 1000));
      const seconds = Math.round((Date.now() - began) / 1000);
      const { figures, broken, summary } = await verdict(fleet, workload.history);
      return {
        figures: { ...figures, redisKills, seconds },
        summary: `${summary}; Redis killed ${redisKills} times, workers ${fleet.kills.length} times, ${seconds} s`,
        broken: [...broken, ...unless({ 'Redis was never killed': redisKills > 0 })],
        late: unless({ [`took longer than ${LONGEST_S} s`]: tasks < FULL || seconds <= LONGEST_S }),
      };
    } finally {
      await fleet.stop();
      await receiver.close();
    }
  },
};

/** Resolves with how often Redis was killed. */
async function underCrashes(
  fleet: Fleet,
  random: Random,
  setting: ScenarioOptions['setting'],
  work: () => Promise<void>,
): Promise<number> {
  const killing = setInterval(() => fleet.killOne('worker', random, setting('least')), setting('worker-kill-every-ms'));
  const over = new AbortController();
  const crashing = crashAgainAndAgain(fleet, setting('redis-kill-every-ms'), over.signal);
  await work().finally(() => {
    clearInterval(killing);
    over.abort();
  });
  return crashing;
}

async function crashAgainAndAgain(fleet: Fleet, everyMs: number, over: AbortSignal): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    await pause(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return kills;
    await fleet.redis.kill();
    await pause(1500);
    await fleet.redis.launch();
  }
}
