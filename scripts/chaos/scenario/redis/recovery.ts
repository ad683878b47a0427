import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { insist, paramsOf } from '../../load/caller.js';
import { recoveryTimes } from '../../check/checker.js';
import { spread } from '../../check/figures.js';
import { Fleet, type Kill } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';

const DRAIN_MS = 500;
/** Longer than the whole scenario: every process that goes leaves something behind. */
const PLAN = { steps: 10_000, pauseMs: 500, asks: false };

/** The time until an interrupted run begins again: after a crash, and after SIGTERM to its worker. */
export const recovery: Scenario = {
  name: 'recovery',
  what: 'workers with long runs are killed, then stopped with SIGTERM, one after the other',
  tasks: { usual: 12, full: 12 },
  settings: { workers: 4, standby: 2, times: 10, 'kill-every-ms': 4_000, 'leave-every-ms': 4_000 },

  async run({ tasks, random, setting, say }) {
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      variables: { DRAIN_MS: String(DRAIN_MS) },
      taskOptions: { maxAttempts: 1_000 },
    });
    try {
      for (let sent = 0; sent < tasks; sent += 1) {
        await insist(
          () => fleet.apis,
          'SendMessage',
          paramsOf({ messageId: randomUUID(), skillId: 'steps', plan: PLAN }),
        );
      }
      const times = setting('times');
      const goOne = async (signal: 'SIGKILL' | 'SIGTERM', everyMs: number): Promise<readonly Kill[]> => {
        const before = fleet.kills.length;
        for (let gone = 0; gone < times; gone += 1) {
          await pause(everyMs);
          const victim = random.pick(fleet.up('worker'));
          if (victim !== undefined) fleet.kill(victim, 'worker', signal);
        }
        await pause(everyMs);
        return fleet.kills.slice(before);
      };
      const crashes = await goOne('SIGKILL', setting('kill-every-ms'));
      say('now workers are stopped with SIGTERM');
      await pause(15_000);
      const leaves = await goOne('SIGTERM', setting('leave-every-ms'));
      const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
      const drained = leaves.map((kill) => ({ ...kill, at: kill.at + DRAIN_MS }));
      return verdictOf(recoveryTimes(stored, crashes), recoveryTimes(stored, drained), fleet);
    } finally {
      await fleet.stop();
    }
  },
};

function verdictOf(crashed: readonly number[], left: readonly number[], fleet: Fleet): Outcome {
  const [crash, leave] = [spread(crashed), spread(left)];
  return {
    figures: { kills: fleet.kills.length, crashMs: crash, handOverMs: leave },
    summary: `${crash.count} crashed runs ran again after ${crash.p50} ms (p50), ${crash.p95} ms (p95), ${crash.max} ms at most; ${leave.count} runs were requeued and begun within ${leave.p50} ms (p50), ${leave.p95} ms (p95)`,
    broken: unless({
      'no run was cut off': crash.count > 0 && leave.count > 0,
      'processes ended by themselves': fleet.surprises.length === 0,
    }),
    late: unless({
      'a crashed run began again later than 5 s (p95)': crash.p95 <= 5_000,
      'a crashed run began again later than 8 s': crash.max <= 8_000,
      'a requeued run began later than 1 s (p95)': leave.p95 <= 1_000,
    }),
  };
}
