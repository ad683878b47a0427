import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from '../../fleet/balancer.js';
import { beginningsOf } from '../../check/checker.js';
import { call, insist } from '../../load/caller.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';
import { TwoServices } from '../../fleet/two-services.js';

const LONG_MS = 600_000;
/** A task is canceled without its skill after this time. */
const GRACE_MS = 10_000;

/** Fleet of the trees, and the kind of their leaves. */
interface Trees {
  readonly fleet: Fleet;
  /** Where the leaves run: another service, or the same. */
  readonly leaves: Fleet;
  readonly plan: Readonly<Record<string, unknown>>;
  readonly children: number;
}

type Spread = ReturnType<typeof spread>;

interface Stopped {
  /** From the call to the end of the last child, of each tree. */
  readonly lastMs: Spread;
  readonly areCanceled: boolean;
  readonly begunAfterCancel: number;
  readonly surprises: readonly string[];
}

/** Trees whose children all run are canceled through another replica: when does the last of them stop? (F9) */
export const cascade: Scenario = {
  name: 'cascade',
  what: 'trees of running children are canceled at their root, through another replica; then of children at another service, and of children that do not listen',
  tasks: { usual: 5, full: 20 },
  settings: { workers: 2, children: 100, remote: 10, deaf: 10 },

  async run(options) {
    const here = await ofOneService(options);
    const remote = await ofTwoServices(options);
    const all = [here.listening, here.deaf, remote];
    return {
      figures: { ...here, remote },
      summary:
        `${String(options.tasks)} trees: all children stopped after ${inWords(here.listening.lastMs)}; ` +
        `those of another service after ${inWords(remote.lastMs)}; deaf ones were overruled after ${String(here.deaf.lastMs.max)} ms`,
      broken: unless({
        'a child was not canceled': all.every(({ areCanceled }) => areCanceled),
        'a child began after the cancel': all.every(({ begunAfterCancel }) => begunAfterCancel === 0),
        [`processes ended by themselves: ${all.flatMap(({ surprises }) => surprises).join('; ')}`]: all.every(
          ({ surprises }) => surprises.length === 0,
        ),
      }),
      late: unless({
        'a tree took more than 1 s to stop (p95)': here.listening.lastMs.p95 <= 1_000,
        'a tree with children at another service took more than 2 s (p95)': remote.lastMs.p95 <= 2_000,
        'deaf children were overruled more than 1 s late': here.deaf.lastMs.max <= GRACE_MS + 1_000,
      }),
    };
  },
};

async function ofOneService({ tasks, setting, say }: ScenarioOptions) {
  const fleet = await Fleet.start({
    size: { api: 2, worker: setting('workers'), dispatcher: 1 },
    standby: {},
    // Slots for all, wherever they begin.
    variables: { WORKER_CONCURRENCY: String(setting('children')) },
  });
  try {
    const trees = { fleet, leaves: fleet, plan: {}, children: setting('children') };
    const listening = await cancelAll(trees, tasks, say);
    return { listening, deaf: await cancelAll({ ...trees, plan: { deaf: true }, children: setting('deaf') }, 1, say) };
  } finally {
    await fleet.stop();
  }
}

async function ofTwoServices({ tasks, setting, say }: ScenarioOptions): Promise<Stopped> {
  const sides: { both?: TwoServices } = {};
  const ours = await Balancer.start(() => sides.both?.ours.apis ?? []);
  const theirs = await Balancer.start(() => sides.both?.theirs.apis ?? []);
  try {
    const urls = { ours: ours.url, theirs: theirs.url };
    const both = await TwoServices.start({ urls, processes: 2, standby: 0 });
    sides.both = both;
    const plan = { leaf: 'errand' };
    return await cancelAll({ fleet: both.ours, leaves: both.theirs, plan, children: setting('remote') }, tasks, say);
  } finally {
    for (const balancer of [ours, theirs]) balancer.stop();
    await sides.both?.stop();
  }
}

async function cancelAll(trees: Trees, count: number, say: ScenarioOptions['say']): Promise<Stopped> {
  const canceled: Awaited<ReturnType<typeof cancelOne>>[] = [];
  for (let tree = 0; tree < count; tree += 1) {
    const one = await cancelOne(trees);
    canceled.push(one);
    say(`tree ${String(tree + 1)}: the last child had stopped after ${String(one.lastMs)} ms`);
  }
  return {
    lastMs: spread(canceled.map(({ lastMs }) => lastMs)),
    areCanceled: canceled.every(({ areCanceled }) => areCanceled),
    begunAfterCancel: canceled.reduce((sum, { begunAfter }) => sum + begunAfter, 0),
    surprises: [...new Set([...trees.fleet.surprises, ...trees.leaves.surprises])],
  };
}

async function cancelOne({ fleet, leaves, plan, children }: Trees) {
  const [one = '', other = ''] = fleet.apis;
  const known = new Set((await tasksIn(fleet, leaves)).map(({ id }) => id));
  const data = { depth: 1, width: children, limit: children, steps: 1, pauseMs: LONG_MS, asks: false, ...plan };
  const { result } = await insist(() => [one], 'SendMessage', {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }], metadata: { skillId: 'tree' } },
    configuration: { returnImmediately: true },
  });
  const root = result?.task?.id ?? '';
  const below = async (...fleets: Fleet[]): Promise<readonly StoredTask[]> =>
    (await tasksIn(...fleets)).filter(({ id }) => !known.has(id) && id !== root);
  const begun = async (): Promise<number> =>
    (await below(leaves)).filter((task) => beginningsOf(task).length > 0).length;
  await until(async () => (await begun()) === children, 60_000).catch(async (cause: unknown) => {
    const states = (await below(fleet, leaves)).map(
      ({ id, fields }) => `${id} ${fields.state ?? ''} ${fields.message ?? ''}`,
    );
    throw new Error(`${String(await begun())} of ${String(children)} children have begun: ${states.join('; ')}`, {
      cause,
    });
  });
  const canceledAt = Date.now();
  await call(other, 'CancelTask', { id: root }, 20_000);
  await until(async () => (await below(fleet, leaves)).every(isEnded), 30_000);
  await pause(200);
  const stopped = await below(fleet, leaves);
  return {
    lastMs: Math.max(0, Math.max(...stopped.map(({ fields }) => Number(fields.ms))) - canceledAt),
    areCanceled: stopped.every(({ fields }) => fields.state === 'TASK_STATE_CANCELED'),
    begunAfter: stopped.flatMap(beginningsOf).filter(({ at }) => at > canceledAt + 1_000).length,
  };
}

async function tasksIn(...fleets: Fleet[]): Promise<readonly StoredTask[]> {
  const read = [...new Set(fleets)].map(({ redis, keyPrefix }) => readStoredTasks(redis.url, keyPrefix));
  return (await Promise.all(read)).flat();
}

function isEnded({ fields }: StoredTask): boolean {
  return ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'].includes(fields.state ?? '');
}

function inWords({ p50, p95, max }: Spread): string {
  return `${String(p50)} ms (p50), ${String(p95)} ms (p95), ${String(max)} ms at most`;
}
