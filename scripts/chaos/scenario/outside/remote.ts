import { randomUUID } from 'node:crypto';
import { HttpDoor } from '../../../../test/kit/stubs/http-door.js';
import { Balancer } from '../../fleet/balancer.js';
import { fallAtPoints, fallPromises, fallsOf, fallText } from '../../load/fall-at-points.js';
import type { Fleet, KillPoints } from '../../fleet/fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';
import { leavesOf, repeatedSteps, type TreePlan, TreeWork } from '../../load/tree-work.js';
import { TwoServices } from '../../fleet/two-services.js';
import { violationsIn } from '../../check/verdict.js';

/** Behaviour of the other service in each call. */
const PLAN: TreePlan = { depth: 0, width: 1, limit: 1, steps: 3, pauseMs: 100, asks: false };

/**
 * Calls of one service to another, by mirrors, while processes of both are killed (F13): to a service that knows its messages again,
 * and to one that does not.
 */
export const remote: Scenario = {
  name: 'remote',
  what: 'calls of one service to another while random processes of both are killed; `deaf`: to one that forgets its messages; `kills`: at named points of a call',
  tasks: { usual: 100, full: 1_000 },
  settings: {
    kills: 10,
    passes: 4,
    'point-calls': 10,
    deaf: 50,
    processes: 2,
    standby: 2,
    'kill-every-ms': 1_500,
    'timeout-s': 900,
  },

  async run(options) {
    const killed = await between(options, options.tasks, foundOfKnowing);
    // The proof at a small size leaves it out.
    const deaf =
      options.setting('deaf') === 0 ? NO_CALLS : await between(options, options.setting('deaf'), foundOfDeaf);
    const points = options.setting('kills') === 0 ? { ...NO_CALLS, falls: {} } : await atPoints(options);
    return {
      figures: { killed, deaf, points },
      summary:
        `${String(killed.calls)} calls, ${String(killed.kills)} kills on both sides: ${String(killed.doubled)} second tasks, ` +
        `${String(killed.doubtful)} doubts, ${String(killed.unfinished)} not completed; ${String(deaf.calls)} calls to a service that ` +
        `forgets messages, ${String(deaf.kills)} kills: ${String(deaf.doubled)} second tasks, ${String(deaf.doubtful)} reported as ` +
        `of unknown outcome, ${String(deaf.unreported)} doubts that were not reported; ${String(points.calls)} calls, crashes at points: ` +
        fallText(points.falls),
      broken: [...killed.broken, ...deaf.broken, ...points.broken.map((promise) => `at points: ${promise}`)],
      late: [],
    };
  },
};

const NO_CALLS = { calls: 0, kills: 0, doubled: 0, doubtful: 0, unreported: 0, broken: [] };

/** Findings after the calls, by which either kind of service is judged. */
interface Judge<T> {
  /** Members of AGENTS_FILE. */
  readonly agent: Readonly<Record<string, unknown>>;
  readonly forgets: boolean;
  /** How processes die; by default at random, of both sides. */
  readonly kills?: (sides: TwoServices, work: () => Promise<void>) => Promise<void>;
  readonly points?: KillPoints;
  readonly found: (sides: TwoServices, work: TreeWork) => Promise<T>;
}

/** Points at which processes of the calling service end themselves: kill-points.mjs explains each. */
const POINTS = ['before-post', 'posted', 'called-back'];

/** Calls whose mirrors lose their process at named points, until enough fell at each. */
async function atPoints(options: ScenarioOptions) {
  const kills = options.setting('kills');
  const killAt = { all: { points: POINTS, passes: options.setting('passes'), kills } };
  const judged = await between(options, options.setting('point-calls'), {
    ...foundOfKnowing,
    kills: (sides, work) =>
      fallAtPoints(sides.ours, killAt, async () => {
        await work();
        options.say(`crashes: ${fallText(fallsOf(sides.ours, killAt))}`);
      }),
    points: killAt.all,
    found: async (sides, work) => ({ ...(await judgeKnowing(sides, work)), falls: fallsOf(sides.ours, killAt) }),
  });
  return { ...judged, broken: [...judged.broken, ...unless(fallPromises(judged.falls, kills))] };
}

async function between<T>({ random, setting }: ScenarioOptions, calls: number, judge: Judge<T>): Promise<T> {
  const sides: { both?: TwoServices } = {};
  const ours = await Balancer.start(() => sides.both?.ours.apis ?? []);
  const theirs = await Balancer.start(() => sides.both?.theirs.apis ?? []);
  const door = await new HttpDoor().listen();
  door.target = theirs.url;
  door.rewrites = (body) =>
    body.replace(/"messageId":"([^"]+)"/, (_all, id: string) => `"messageId":"${id} ${randomUUID()}"`);
  try {
    const both = await TwoServices.start({
      urls: { ours: ours.url, theirs: judge.forgets ? door.url : theirs.url },
      ...{ processes: setting('processes'), standby: setting('standby'), agent: judge.agent },
      ...(judge.points === undefined ? {} : { killAt: judge.points }),
    });
    sides.both = both;
    const work = new TreeWork(PLAN, () => both.ours.apis, random, 'errand');
    const kill = { role: 'all', everyMs: setting('kill-every-ms'), least: 1, random } as const;
    const done = (): Promise<void> => work.run(calls, setting('timeout-s') * 1_000);
    if (judge.kills === undefined) await both.theirs.killWhile(() => both.ours.killWhile(done, kill), kill);
    else await judge.kills(both, done);
    return await judge.found(both, work);
  } finally {
    for (const balancer of [ours, theirs]) balancer.stop();
    await door.close();
    await sides.both?.stop();
  }
}

/** A service that recognises a message that comes again: nothing is doubtful. */
const foundOfKnowing: Judge<Awaited<ReturnType<typeof judgeKnowing>>> = {
  ...{ agent: {}, forgets: false, found: judgeKnowing },
};

/** A service that takes every message for a new one: a message is not sent again, and a doubt is said. */
const foundOfDeaf: Judge<Awaited<ReturnType<typeof judgeDeaf>>> = {
  ...{ agent: { resend: 'never' }, forgets: true, found: judgeDeaf },
};

async function judgeKnowing(sides: TwoServices, { roots }: TreeWork) {
  const { own, others, promises, kills } = await readBoth(sides);
  const byId = new Map(others.map((task) => [task.id, task]));
  const rootIds = new Set(roots);
  const unfinished = [...own, ...others].filter(({ fields }) => fields.state !== 'TASK_STATE_COMPLETED');
  const results = own
    .filter(({ id }) => rootIds.has(id))
    .flatMap((root) => leavesOf(root).flatMap(({ id }) => (byId.has(id) ? [id] : [])));
  const because = unfinished.slice(0, 3).map(({ id, fields }) => `${id} ${fields.state ?? ''} ${fields.message ?? ''}`);
  return {
    ...{ calls: roots.length, kills, doubled: Math.max(0, others.length - roots.length) },
    doubtful: own.filter(isDoubt).length,
    unfinished: unfinished.length,
    broken: unless({
      [`calls are not completed: ${because.join('; ')}`]: unfinished.length === 0,
      [`the other service has ${String(byId.size)} tasks for ${String(roots.length)} calls`]:
        byId.size === roots.length,
      'results are not those of the other service': new Set(results).size === roots.length,
      ...promises,
    }),
  };
}

async function judgeDeaf(sides: TwoServices, { roots }: TreeWork) {
  const { own, others, promises, kills } = await readBoth(sides);
  const mirrors = own.filter(({ fields }) => fields.skill === 'remote:other');
  // The message of a call begins with the id of its mirror.
  const begunFor = others.map(({ history }) => history[0]?.messageId.split(':')[0] ?? '');
  const begun = new Set(begunFor);
  const failed = mirrors.filter(({ fields }) => fields.state === 'TASK_STATE_FAILED');
  const unreported = failed.filter((mirror) => !isDoubt(mirror) && begun.has(mirror.id));
  const open = [...own, ...others].filter(
    ({ fields }) => fields.state !== 'TASK_STATE_COMPLETED' && fields.state !== 'TASK_STATE_FAILED',
  );
  const doubled = begunFor.length - begun.size;
  return {
    ...{ calls: roots.length, kills, doubled, doubtful: failed.filter(isDoubt).length, unreported: unreported.length },
    broken: unless({
      'calls have not ended': open.length === 0 && mirrors.length === roots.length,
      [`${String(doubled)} calls have begun twice`]: doubled === 0,
      'doubts were not reported': unreported.length === 0,
      ...promises,
    }),
  };
}

/** Whether a call has failed as one of unknown outcome. */
function isDoubt({ events }: StoredTask): boolean {
  return JSON.stringify(events.at(-1)?.event ?? {}).includes('"urn:parley:call-fault":"unknown"');
}

/** Stored state of both services, and the conditions on it in any case. */
async function readBoth({ ours, theirs }: TwoServices) {
  const read = ({ redis, keyPrefix }: Fleet) => readStoredTasks(redis.url, keyPrefix);
  const [own, others] = await Promise.all([read(ours), read(theirs)]);
  const violated = [...(await violationsIn(ours)), ...(await violationsIn(theirs))];
  const surprises = [...ours.surprises, ...theirs.surprises];
  const promises = {
    'finished steps were repeated': others.flatMap(repeatedSteps).length === 0,
    [`stored tasks are not as they must be: ${violated.slice(0, 3).join('; ')}`]: violated.length === 0,
    [`processes ended by themselves: ${surprises.slice(0, 3).join('; ')}`]: surprises.length === 0,
  };
  return { own, others, promises, kills: ours.kills.length + theirs.kills.length };
}
