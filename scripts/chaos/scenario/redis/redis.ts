import { survive } from '../../load/survive.js';
import { type Scenario, unless } from '../../scenario.js';

const FULL = 2_000;
const LONGEST_S = 240;

/** Redis itself is killed and started again on its append-only file, and workers die meanwhile. */
export const redis: Scenario = {
  name: 'redis',
  what: 'Redis is killed every 6 s and is down for 1.5 s; a worker is killed every 3 s',
  tasks: { usual: 500, full: FULL },
  settings: {
    ...{ workers: 4, standby: 2, least: 2, callers: 8, 'timeout-s': 900 },
    ...{ 'redis-kill-every-ms': 6_000, 'worker-kill-every-ms': 3_000 },
  },

  async run({ tasks, random, setting }) {
    let redisKills = 0;
    const { fleet, seconds, figures, broken, summary } = await survive(
      {
        fleet: {
          size: { api: 1, worker: setting('workers'), dispatcher: 1 },
          standby: { worker: setting('standby') },
          taskOptions: { maxAttempts: 100 },
          mayFailToStart: true,
        },
        workload: {
          ...{ tasks, callers: setting('callers'), steps: [2, 8], pauseMs: [20, 100] },
          ...{ canceledShare: 0.05, askingShare: 0.1, readShare: 0.05, hookedShare: 0.05 },
        },
        timeoutMs: setting('timeout-s') * 1000,
        harm: async (harmed, work) => {
          const killed = (): Promise<void> =>
            harmed.killWhile(work, {
              ...{ role: 'worker', everyMs: setting('worker-kill-every-ms'), least: setting('least'), random },
            });
          redisKills = await harmed.killRedisWhile(killed, setting('redis-kill-every-ms'));
        },
      },
      random,
    );
    return {
      figures: { ...figures, redisKills, seconds },
      summary: `${summary}; Redis killed ${redisKills} times, workers ${fleet.kills.length} times, ${seconds} s`,
      broken: [...broken, ...unless({ 'Redis was never killed': redisKills > 0 })],
      late: unless({ [`took longer than ${LONGEST_S} s`]: tasks < FULL || seconds <= LONGEST_S }),
    };
  },
};
