import { fallAtPoints, fallPromises, fallsOf, fallText } from '../../load/fall-at-points.js';
import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { type TreePlan, treeFindings, treePromises, TreeWork } from '../../load/tree-work.js';
import { settingsFile } from '../../../../test/kit/app/settings-file.js';

const PLAN: TreePlan = { depth: 2, width: 3, limit: 10, steps: 2, pauseMs: 40, asks: false };
/** Points at which processes end themselves, by their role: kill-points.mjs explains each. */
const WORKER_POINTS = ['before-spawn', 'after-spawn', 'before-note', 'after-note', 'child-ended'];
const API_POINTS = ['answered'];
const DISPATCHER_POINTS = ['before-show'];
/** Of parents that stay awake for quick children, which need more than one slot. */
const AWAKE_POINTS = ['awake', 'told'];
const POINTS = [...WORKER_POINTS, ...API_POINTS, ...DISPATCHER_POINTS, ...AWAKE_POINTS];

/** Trees of thirteen tasks while workers are killed at random; then processes kill themselves at the points of a tree's life. */
export const trees: Scenario = {
  name: 'trees',
  what: `trees of tasks (root, 3, 9) while a random worker is killed every half second, and at named points: ${POINTS.join(', ')}`,
  tasks: { usual: 100, full: 1_000 },
  settings: {
    ...{ workers: 4, standby: 3, least: 1, 'kill-every-ms': 500, 'timeout-s': 600 },
    ...{ 'point-trees': 12, passes: 6, kills: 10 },
    // 0: Redis stays.
    'redis-kill-every-ms': 0,
  },

  async run(options) {
    const { tasks, say } = options;
    const killed = await whileKilled(options);
    say(`${String(tasks)} trees: ${String(killed.kills)} workers killed`);
    // One slot: with more, all runs of a process may come by its point at once, and none gets on.
    const fallen = await atPoints(
      options,
      { worker: WORKER_POINTS, api: API_POINTS, dispatcher: DISPATCHER_POINTS },
      1,
    );
    const awake = await atPoints(options, { worker: AWAKE_POINTS }, 32);
    const falls = { ...fallen.falls, ...awake.falls };
    return {
      figures: { ...killed, points: falls, atPoints: fallen.findings, awake: awake.findings },
      summary: `${String(killed.trees)} trees of ${String(killed.tasks)} tasks, ${String(killed.kills)} kills, Redis ${String(killed.redisKills)} times, ${String(killed.seconds)} s: ${String(killed.repeatedSteps)} finished steps repeated, ${String(killed.doubled)} children doubled or orphaned, ${String(killed.unfinished)} not ended; ${String(fallen.findings.trees + awake.findings.trees)} trees, crashes at points: ${fallText(falls)}`,
      broken: [...killed.broken, ...[...fallen.broken, ...awake.broken].map((promise) => `at points: ${promise}`)],
      late: [],
    };
  },
};

async function whileKilled({ tasks, random, setting }: ScenarioOptions) {
  const redisEveryMs = setting('redis-kill-every-ms');
  const fleet = await Fleet.start({
    size: { api: 1, worker: setting('workers'), dispatcher: 1 },
    standby: { worker: setting('standby') },
    taskOptions: { maxAttempts: 100 },
    mayFailToStart: redisEveryMs > 0,
  });
  try {
    const work = new TreeWork(PLAN, () => fleet.apis, random);
    const began = Date.now();
    const worked = (): Promise<void> =>
      fleet.killWhile(() => work.run(tasks, setting('timeout-s') * 1_000), {
        ...{ role: 'worker', everyMs: setting('kill-every-ms'), least: setting('least'), random },
      });
    const redisKills = await fleet.killRedisWhile(worked, redisEveryMs);
    const findings = await treeFindings(fleet, work, PLAN);
    const seconds = Math.round((Date.now() - began) / 1_000);
    const isKilled = { 'Redis was never killed': redisEveryMs === 0 || redisKills > 0 };
    const broken = unless({ ...treePromises(fleet, findings), ...isKilled });
    return { ...findings, kills: fleet.kills.length, redisKills, seconds, broken };
  } finally {
    await fleet.stop();
  }
}

/** All points in one fleet: each process has one of them. */
async function atPoints(
  { random, setting, say }: ScenarioOptions,
  points: Readonly<Partial<Record<'worker' | 'api' | 'dispatcher', readonly string[]>>>,
  slots: number,
) {
  // Children without a question, in processes with room for them, are quick.
  const plan = slots === 1 ? { ...PLAN, asks: true } : { ...PLAN, pauseMs: 2 };
  const [kills, passes] = [setting('kills'), setting('passes')];
  const killAt = Object.fromEntries(
    Object.entries(points).map(([role, some]) => [role, { points: some, passes, kills }]),
  );
  const fleet = await Fleet.start({
    size: { api: 2, worker: setting('workers'), dispatcher: 2 },
    standby: { api: 1, worker: setting('standby'), dispatcher: 1 },
    taskOptions: { maxAttempts: 100 },
    variables: { WORKER_CONCURRENCY: String(slots), PARLEY_FILE: settingsFile({ tasks: { askAfterMs: 1_000 } }) },
    killAt,
  });
  try {
    const work = new TreeWork(plan, () => fleet.apis, random);
    await fallAtPoints(fleet, killAt, async () => {
      await work.run(setting('point-trees'), setting('timeout-s') * 1_000);
      say(`crashes: ${fallText(fallsOf(fleet, killAt))}`);
    });
    const findings = await treeFindings(fleet, work, plan);
    const falls = fallsOf(fleet, killAt);
    return { findings, falls, broken: unless({ ...treePromises(fleet, findings), ...fallPromises(falls, kills) }) };
  } finally {
    await fleet.stop();
  }
}
