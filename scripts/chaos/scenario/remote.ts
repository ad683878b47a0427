import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Balancer } from '../balancer.js';
import { spread } from '../figures.js';
import { Fleet } from '../fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../scenario.js';
import { readStoredTasks, type StoredTask } from '../stored-tasks.js';
import { leavesOf, repeatedSteps, type TreePlan, TreeWork } from '../tree-work.js';
import { violationsIn } from '../verdict.js';

/** What the other service does of each call. */
const PLAN: TreePlan = { depth: 0, width: 1, limit: 1, steps: 3, pauseMs: 100, asks: false };
/** The same, long enough that the caller waits for a callback when it ends. */
const QUIET: TreePlan = { ...PLAN, steps: 1, pauseMs: 2_500 };
const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** Calls of one service to another, by mirrors: first nothing is killed and the way back is timed, then both sides are (F12, F13). */
export const remote: Scenario = {
  name: 'remote',
  what: 'calls of one service to another while random processes of both are killed, after as many in peace',
  tasks: { usual: 100, full: 1_000 },
  settings: { quiet: 20, processes: 2, standby: 2, 'kill-every-ms': 1_500, 'timeout-s': 900 },

  async run(options) {
    const { tasks, say, setting } = options;
    // The proof at a small size leaves the times out: they are those of a machine with nothing else to do.
    const quiet =
      setting('quiet') === 0 ? NOTHING : await between(options, QUIET, setting('quiet'), (_sides, work) => work());
    say(`in peace: the caller goes on after ${JSON.stringify(quiet.backMs)} ms`);
    const killed = await between(options, PLAN, tasks, ({ ours, theirs }, work) => {
      const kill = { role: 'all', everyMs: setting('kill-every-ms'), least: 1, random: options.random } as const;
      return theirs.killWhile(() => ours.killWhile(work, kill), kill);
    });
    const { p50, p95, max } = quiet.backMs;
    return {
      figures: { quiet, killed },
      summary:
        `${String(killed.calls)} calls, ${String(killed.kills)} kills on both sides: ${String(killed.doubled)} second tasks, ` +
        `${String(killed.doubtful)} doubts, ${String(killed.unfinished)} not completed; in peace the caller goes on ` +
        `${String(p50)} ms (p50), ${String(p95)} ms (p95), ${String(max)} ms (maximum) after the end`,
      broken: [...quiet.broken, ...killed.broken],
      late: p95 > 250 ? [`the caller went on ${String(p95)} ms (p95) after the end, and not within 250`] : [],
    };
  },
};

const NOTHING = { backMs: spread([]), broken: [] };

interface Sides {
  readonly ours: Fleet;
  readonly theirs: Fleet;
}

async function between(
  options: ScenarioOptions,
  plan: TreePlan,
  calls: number,
  harm: (sides: Sides, work: () => Promise<void>) => Promise<void>,
) {
  const { random, setting } = options;
  const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-remote-'));
  const sides: { ours?: Fleet; theirs?: Fleet } = {};
  const doors = {
    ours: await Balancer.start(() => sides.ours?.apis ?? []),
    theirs: await Balancer.start(() => sides.theirs?.apis ?? []),
  };
  try {
    const file = join(folder, 'agents.json');
    await writeFile(file, JSON.stringify({ other: { card: doors.theirs.url, skill: 'tree', maxInFlight: 200 } }));
    const start = (variables: Readonly<Record<string, string>>): Promise<Fleet> =>
      Fleet.start({
        size: { all: setting('processes') },
        standby: { all: setting('standby') },
        taskOptions: { maxAttempts: 100 },
        variables: { SECRET_KEYS, EGRESS_ALLOW: allowOf(doors.ours.url, doors.theirs.url), ...variables },
      });
    const theirs = await start({ PUBLIC_URL: doors.theirs.url });
    sides.theirs = theirs;
    const ours = await start({ PUBLIC_URL: doors.ours.url, AGENTS_FILE: file });
    sides.ours = ours;
    const work = new TreeWork(plan, () => ours.apis, random, 'errand');
    await harm({ ours, theirs }, () => work.run(calls, setting('timeout-s') * 1_000));
    return await found({ ours, theirs }, work);
  } finally {
    doors.ours.stop();
    doors.theirs.stop();
    await Promise.all([sides.ours?.stop(), sides.theirs?.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

function allowOf(...urls: readonly string[]): string {
  return urls.map((url) => `${new URL(url).host}=127.0.0.1/32!http`).join(';');
}

/** Compares what the caller has with what the other service did. */
async function found({ ours, theirs }: Sides, { roots }: TreeWork) {
  const [own, others] = await Promise.all(
    [ours, theirs].map(({ redis, keyPrefix }) => readStoredTasks(redis.url, keyPrefix)),
  );
  const byId = new Map((others ?? []).map((task) => [task.id, task]));
  const rootIds = new Set(roots);
  const unfinished = [...(own ?? []), ...(others ?? [])].filter(
    ({ fields }) => fields.state !== 'TASK_STATE_COMPLETED',
  );
  const pairs = (own ?? []).filter(({ id }) => rootIds.has(id)).flatMap((root) => pairOf(root, byId));
  const violated = [...(await violationsIn(ours)), ...(await violationsIn(theirs))];
  const surprises = [...ours.surprises, ...theirs.surprises];
  const figures = {
    calls: roots.length,
    kills: ours.kills.length + theirs.kills.length,
    doubled: Math.max(0, (others ?? []).length - roots.length),
    doubtful: unfinished.filter(({ fields }) => fields.message?.includes('may have begun')).length,
    unfinished: unfinished.length,
    backMs: spread(pairs.map(({ root, other }) => Math.max(0, Number(root.fields.ms) - Number(other.fields.ms)))),
  };
  const because = unfinished.slice(0, 3).map(({ id, fields }) => `${id} ${fields.state ?? ''} ${fields.message ?? ''}`);
  const broken = unless({
    [`calls are not completed: ${because.join('; ')}`]: unfinished.length === 0,
    [`the other service has ${String(byId.size)} tasks for ${String(roots.length)} calls`]: byId.size === roots.length,
    'results are not those of the other service': new Set(pairs.map(({ other }) => other.id)).size === roots.length,
    'finished steps were repeated': (others ?? []).flatMap(repeatedSteps).length === 0,
    [`stored tasks are not as they must be: ${violated.slice(0, 3).join('; ')}`]: violated.length === 0,
    [`processes ended by themselves: ${surprises.slice(0, 3).join('; ')}`]: surprises.length === 0,
  });
  return { ...figures, broken };
}

/** A call with the task that did it, by what its result says. */
function pairOf(root: StoredTask, others: ReadonlyMap<string, StoredTask>) {
  return leavesOf(root).flatMap(({ id }) => {
    const other = others.get(id);
    return other === undefined ? [] : [{ root, other }];
  });
}
