import { Fleet } from '../fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../scenario.js';
import { type TreePlan, treeFindings, treePromises, TreeWork } from '../tree-work.js';

const PLAN: TreePlan = { depth: 2, width: 3, limit: 10, steps: 2, pauseMs: 40, asks: false };
/** Each with what the trees do to come by it: kill-points.mjs says what they are. */
const POINTS: readonly (readonly [point: string, role: 'worker' | 'api', asks: boolean])[] = [
  ['before-spawn', 'worker', false],
  ['after-spawn', 'worker', false],
  ['after-note', 'worker', false],
  ['child-ended', 'worker', false],
  ['answered', 'api', true],
];

/** Trees of thirteen tasks while workers are killed at random; then processes kill themselves at the points of a tree's life. */
export const trees: Scenario = {
  name: 'trees',
  what: `trees of tasks (root, 3, 9) while a random worker is killed every half second, and at named points: ${POINTS.map(([point]) => point).join(', ')}`,
  tasks: { usual: 100, full: 1_000 },
  settings: { workers: 4, standby: 3, least: 1, 'kill-every-ms': 500, 'point-trees': 12, passes: 6, 'timeout-s': 600 },

  async run(options) {
    const { tasks, random, setting, say } = options;
    const killed = await grown(options, { plan: PLAN, count: tasks }, (fleet, work) =>
      fleet.killWhile(work, { role: 'worker', everyMs: setting('kill-every-ms'), least: setting('least'), random }),
    );
    say(`${String(tasks)} trees: ${String(killed.kills)} workers killed`);
    const atPoints = [];
    for (const [point, role, asks] of POINTS) {
      const how = { plan: { ...PLAN, asks }, count: setting('point-trees'), point, role };
      const one = await grown(options, how, (_fleet, work) => work());
      say(`${point}: ${String(one.fallen)} crashes`);
      atPoints.push({ point, ...one });
    }
    const fallen = Object.fromEntries(atPoints.map(({ point, fallen: count }) => [point, count]));
    return {
      figures: { ...killed, points: fallen },
      summary: `${String(killed.trees)} trees of ${String(killed.tasks)} tasks, ${String(killed.kills)} kills, ${String(killed.seconds)} s: ${String(killed.repeatedSteps)} finished steps repeated, ${String(killed.doubled)} children doubled or orphaned, ${String(killed.unfinished)} not ended; crashes at points: ${Object.entries(
        fallen,
      )
        .map(([point, count]) => `${point} ${String(count)}`)
        .join(', ')}`,
      broken: [
        ...killed.broken,
        ...atPoints.flatMap(({ point, broken }) => broken.map((promise) => `${point}: ${promise}`)),
        ...unless(Object.fromEntries(atPoints.map(({ point, fallen: count }) => [`nobody died: ${point}`, count > 0]))),
      ],
      late: [],
    };
  },
};

interface Grown {
  readonly plan: TreePlan;
  readonly count: number;
  readonly point?: string;
  readonly role?: 'worker' | 'api';
}

async function grown(
  { random, setting }: ScenarioOptions,
  { plan, count, point, role = 'worker' }: Grown,
  harm: (fleet: Fleet, work: () => Promise<void>) => Promise<void>,
) {
  const isApi = role === 'api';
  const fleet = await Fleet.start({
    size: { api: isApi ? 2 : 1, worker: setting('workers'), dispatcher: 1 },
    standby: isApi ? { api: 2 } : { worker: setting('standby') },
    taskOptions: { maxAttempts: 100 },
    ...(point === undefined
      ? {}
      : {
          // One slot: with more, all runs of a process may come by the point at once, and none gets on.
          variables: { CHAOS_KILL_AT: `${point} ${String(setting('passes'))}`, WORKER_CONCURRENCY: '1' },
          mortal: [role],
        }),
  });
  try {
    const work = new TreeWork(plan, () => fleet.apis, random);
    const began = Date.now();
    await harm(fleet, () => work.run(count, setting('timeout-s') * 1_000));
    const findings = await treeFindings(fleet, work, plan);
    const figures = {
      kills: fleet.kills.length,
      fallen: fleet.fallen,
      seconds: Math.round((Date.now() - began) / 1_000),
    };
    return { ...findings, ...figures, broken: unless(treePromises(fleet, findings)) };
  } finally {
    await fleet.stop();
  }
}
