import { describe, expect, it } from '@jest/globals';
import { type Report, type RunOptions, runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { api } from './scenario/api.js';
import { callbacks } from './scenario/callbacks.js';
import { cascade } from './scenario/cascade.js';
import { coordinator } from './scenario/coordinator.js';
import { drain } from './scenario/drain.js';
import { fanout } from './scenario/fanout.js';
import { local } from './scenario/local.js';
import { outage } from './scenario/outage.js';
import { points } from './scenario/points.js';
import { poison } from './scenario/poison.js';
import { progress } from './scenario/progress.js';
import { questions } from './scenario/questions.js';
import { redis } from './scenario/redis.js';
import { remote } from './scenario/remote.js';
import { stopped } from './scenario/stopped.js';
import { streams } from './scenario/streams.js';
import { trees } from './scenario/trees.js';
import { waiting } from './scenario/waiting.js';
import { wakes } from './scenario/wakes.js';
import { workers } from './scenario/workers.js';

const TIMEOUT_MS = 180_000;
/** Two fleets, one after the other. */
const TREES_TIMEOUT_MS = 300_000;

/** The report of one run at a small size. Times are no matter here: other tests run beside it. */
async function reportOf(scenario: Scenario, options: RunOptions): Promise<Report> {
  const report = await runScenario(scenario, options);
  expect(report).toMatchObject({ broken: [] });
  return report;
}

describe('the chaos proof at a small size: every promise holds', () => {
  it(
    'while workers are killed',
    async () => {
      const settings = { workers: 2, standby: 1, least: 1, 'kill-every-ms': 400 };
      const { figures } = await reportOf(workers, { tasks: 300, settings });
      expect(figures.kills).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    'while Redis is killed, its file kept',
    () => {
      const settings = { workers: 2, standby: 0, 'redis-kill-every-ms': 1_500 };
      return reportOf(redis, { tasks: 80, settings });
    },
    TIMEOUT_MS,
  );

  it(
    'while replicas of the API are killed (A2A-SEND-14, SEED-49)',
    () => reportOf(api, { tasks: 300, settings: { apis: 2, standby: 1, workers: 1, 'kill-every-ms': 200 } }),
    TIMEOUT_MS,
  );

  it(
    'for readers who are cut off while pub/sub loses everything (A2A-STRM-08)',
    () => {
      const settings = { apis: 2, workers: 1, disconnects: 40, 'silent-s': 3, 'longest-pause-ms': 300 };
      return reportOf(streams, { tasks: 5, settings });
    },
    TIMEOUT_MS,
  );

  it(
    'for a skill that kills whichever worker runs it',
    () => reportOf(poison, { tasks: 10, settings: { workers: 2, standby: 1 } }),
    TIMEOUT_MS,
  );

  it(
    'for tasks that sleep while workers are killed',
    () => reportOf(waiting, { tasks: 200, settings: { 'asleep-s': 5, 'wake-s': 10, 'kill-every-ms': 3_000 } }),
    TIMEOUT_MS,
  );

  it('while Redis is away for 3 s', () => reportOf(outage, { settings: { longest: 3 } }), TIMEOUT_MS);

  it(
    'for callers while processes are replaced',
    () => reportOf(drain, { settings: { apis: 2, workers: 1, dispatchers: 1, callers: 3 } }),
    TIMEOUT_MS,
  );

  it(
    'while processes that begin runs themselves are killed',
    async () => {
      const settings = { processes: 2, standby: 1, 'kill-every-ms': 500 };
      const { figures } = await reportOf(local, { tasks: 150, settings });
      expect(figures.kills).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    'for workers that are stopped for longer than their leases, and go on',
    () => reportOf(stopped, { tasks: 300, settings: { workers: 2 } }),
    TIMEOUT_MS,
  );

  it(
    'at named points of a run: taken and not begun, ended, before and after a park, at a wake',
    () => reportOf(points, { tasks: 8, settings: { workers: 3, standby: 2, passes: 2, kills: 1 } }),
    TIMEOUT_MS,
  );

  it('for runs whose wake-ups are lost', () => reportOf(wakes, { tasks: 25 }), TIMEOUT_MS);

  it(
    'for a task that makes progress and loses its worker more often than it has attempts',
    () => reportOf(progress, { tasks: 1, settings: { steps: 30, 'step-ms': 500, 'kill-every-ms': 4_000, standby: 1 } }),
    TIMEOUT_MS,
  );

  it(
    'for trees of tasks while workers are killed, and at named points of their life (F1, F2)',
    async () => {
      const settings = { workers: 3, standby: 2, 'kill-every-ms': 150, 'point-trees': 1, passes: 2, kills: 1 };
      const { figures } = await reportOf(trees, { tasks: 8, settings });
      expect(figures.kills).toBeGreaterThan(0);
    },
    TREES_TIMEOUT_MS,
  );

  it(
    'for a fan-out within its limit, whose parent is woken once (F6)',
    () => reportOf(fanout, { tasks: 2, settings: { width: 40 } }),
    TIMEOUT_MS,
  );

  it(
    'for questions of many leaves that are answered in any order while workers are killed (O-42, F11)',
    () => reportOf(questions, { tasks: 3, settings: { workers: 2, standby: 1, width: 4 } }),
    TIMEOUT_MS,
  );

  it(
    'for calls to another service while processes of both are killed (F13)',
    async () => {
      const settings = { kills: 0, deaf: 0, processes: 2, standby: 1, 'kill-every-ms': 1_000 };
      const { figures } = await reportOf(remote, { tasks: 10, settings });
      expect(figures.killed).toMatchObject({ doubled: 0, doubtful: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'for callbacks: forged ones wake nothing, many at once cause two looks (F12)',
    () => reportOf(callbacks, { tasks: 1, settings: { storm: 200, lost: 0, 'storm-ms': 6_000 } }),
    TIMEOUT_MS,
  );

  it(
    'for coordinators whose workers are killed in calls of models and tools (F16)',
    async () => {
      const settings = { workers: 2, standby: 1, rounds: 4, 'kill-every-ms': 500 };
      const { figures } = await reportOf(coordinator, { tasks: 10, settings });
      expect(figures.kills).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    'for trees that are canceled at their root (F9)',
    () => reportOf(cascade, { tasks: 2, settings: { children: 30, remote: 3, deaf: 2 } }),
    TIMEOUT_MS,
  );
});
