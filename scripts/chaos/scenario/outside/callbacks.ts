import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpDoor, type PassedRequest } from '../../../../test/kit/stubs/http-door.js';
import { spread } from '../../check/figures.js';
import { until } from '../../fleet/fleet.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';
import { leavesOf, type TreePlan, TreeWork } from '../../load/tree-work.js';
import { TwoServices } from '../../fleet/two-services.js';

/** Long enough that the caller waits for nothing but the callback when the task ends. */
const QUIET: TreePlan = { depth: 0, width: 1, limit: 1, steps: 1, pauseMs: 2_500, asks: false };
/** Calls of one group end so far apart. */
const APART_MS = 200;
const GROUP = 10;
/** Polls come at most twice in this time. */
const PACE_MS = 2_000;
/** The first poll without a callback is after 30 s, 20 % more or less. */
const BACKSTOP_MS = 36_000;
const SENDERS = 50;

/**
 * How a caller learns that a task of another service has ended (F12): by webhook, in peace; by the first poll of its own when all
 * webhooks are lost; and the cost of forged and repeated callbacks.
 */
export const callbacks: Scenario = {
  name: 'callbacks',
  what: 'how soon a caller goes on by webhook, and without; what forged and repeated callbacks wake',
  tasks: { usual: 20, full: 100 },
  settings: { storm: 1_000, lost: 10, 'storm-ms': 12_000, 'timeout-s': 300 },

  async run(options) {
    const doors = { ours: await new HttpDoor().listen(), theirs: await new HttpDoor().listen() };
    const urls = { ours: doors.ours.url, theirs: doors.theirs.url };
    const sides = await TwoServices.start({ urls, processes: 1, standby: 0 });
    try {
      for (const side of ['ours', 'theirs'] as const) doors[side].target = sides[side].apis[0] ?? '';
      const bench = { ...options, sides, doors };
      const peace = await inPeace(bench);
      const storm = await inStorm(bench);
      const lost = await withoutCallbacks(bench);
      return {
        figures: { peace, storm, lost },
        summary:
          `in peace the caller goes on ${String(peace.p50)} ms (p50), ${String(peace.p95)} ms (p95) after the end; ` +
          `${String(storm.forged)} forged callbacks: ${String(storm.wakes)} looks; ${String(storm.sent)} true ones at once: ` +
          `${String(storm.looks)} looks; without webhooks it goes on ${String(lost.max)} ms after the end at most`,
        broken: unless({
          [`forged callbacks were taken: ${storm.statuses.join()}`]: storm.statuses.join() === '404',
          'forged callbacks have woken the caller': storm.wakes === 0,
          [`true callbacks were refused: ${storm.trueStatuses.join()}`]: storm.trueStatuses.join() === '202',
          [`${String(storm.sent)} callbacks at once caused ${String(storm.looks)} looks`]: storm.looks <= storm.allowed,
          'calls are lost with their webhooks': lost.count === options.setting('lost'),
          'calls in peace are lost': peace.count === options.tasks,
        }),
        late: unless({
          [`the caller went on ${String(peace.p95)} ms (p95) after the end, and not within 250`]: peace.p95 <= 250,
          [`without webhooks it went on ${String(lost.max)} ms after the end`]: lost.max <= BACKSTOP_MS,
        }),
      };
    } finally {
      await sides.stop();
      await Promise.all([doors.ours.close(), doors.theirs.close()]);
    }
  },
};

interface Bench extends ScenarioOptions {
  readonly sides: TwoServices;
  readonly doors: { readonly ours: HttpDoor; readonly theirs: HttpDoor };
}

type Spread = ReturnType<typeof spread>;

/** Groups of calls that end one after the other. */
async function inPeace(bench: Bench): Promise<Spread> {
  const backMs: number[] = [];
  for (let left = bench.tasks; left > 0; left -= GROUP) {
    backMs.push(...(await called(bench, Math.min(GROUP, left))));
  }
  return spread(backMs);
}

async function withoutCallbacks(bench: Bench): Promise<Spread> {
  bench.doors.ours.swallows = (path) => path.startsWith('/callbacks/');
  const calls = bench.setting('lost');
  return spread(calls === 0 ? [] : await called(bench, calls));
}

/** Makes calls that end one after the other. Returns how long after each end the caller had it, ms. */
async function called({ sides, random, setting }: Bench, calls: number): Promise<readonly number[]> {
  const works = Array.from(
    { length: calls },
    (_unused, at) =>
      new TreeWork({ ...QUIET, pauseMs: QUIET.pauseMs + at * APART_MS }, () => sides.ours.apis, random, 'errand'),
  );
  await Promise.all(works.map((work) => work.run(1, setting('timeout-s') * 1_000)));
  const roots = new Set(works.flatMap((work) => work.roots));
  const [own, others] = await Promise.all(
    [sides.ours, sides.theirs].map(({ redis, keyPrefix }) => readStoredTasks(redis.url, keyPrefix)),
  );
  const ends = new Map((others ?? []).map(({ id, fields }) => [id, Number(fields.ms)]));
  return (own ?? [])
    .filter(({ id, fields }) => roots.has(id) && fields.state === 'TASK_STATE_COMPLETED')
    .flatMap((root) =>
      leavesOf(root).flatMap(({ id }) => {
        const end = ends.get(id);
        return end === undefined ? [] : [Math.max(0, Number(root.fields.ms) - end)];
      }),
    );
}

/** One long call: forged callbacks, then true ones, all at once. */
async function inStorm({ sides, doors, random, setting }: Bench) {
  const count = setting('storm');
  const plan = { ...QUIET, pauseMs: setting('storm-ms') };
  const work = new TreeWork(plan, () => sides.ours.apis, random, 'errand');
  const before = doors.ours.passed.length;
  const running = work.run(1, setting('timeout-s') * 1_000);
  await until(() => callbackIn(doors.ours, before) !== undefined, setting('storm-ms'));
  const genuine = callbackIn(doors.ours, before);
  if (genuine === undefined) throw new Error('No callback came');
  // The poll that this callback has asked for has ended.
  await pause(PACE_MS);
  const calm = looksIn(doors.theirs);
  const statuses = await atOnce(count, (at) => doors.ours.send(forgedOf(genuine, at)));
  await pause(PACE_MS / 2);
  const wakes = looksIn(doors.theirs) - calm;
  const began = performance.now();
  const trueStatuses = await atOnce(count, (at) =>
    doors.ours.send({ ...genuine, body: JSON.stringify({ event: at }) }),
  );
  await pause(PACE_MS / 2);
  const looks = looksIn(doors.theirs) - calm - wakes;
  // On a busy machine, sending them takes longer than the two seconds that two polls are for.
  const allowed = 2 * Math.ceil((performance.now() - began) / PACE_MS);
  await running;
  return { forged: count, wakes, statuses, sent: count, looks, allowed, trueStatuses };
}

function callbackIn({ passed }: HttpDoor, from: number): PassedRequest | undefined {
  return passed.slice(from).find(({ path, status }) => path.startsWith('/callbacks/') && status === 202);
}

/** Calls of GetTask that have reached the other service. */
function looksIn({ passed }: HttpDoor): number {
  return passed.filter(({ body }) => body.includes('"method":"GetTask"')).length;
}

/** Without a token, with an unknown one, with one that is cut, and with that of another task. */
function forgedOf(
  { path, headers, body }: PassedRequest,
  at: number,
): Pick<PassedRequest, 'path' | 'headers' | 'body'> {
  const { authorization = '', 'content-type': type = '' } = headers;
  const plain = { 'content-type': type };
  switch (at % 4) {
    case 0:
      return { path, headers: plain, body };
    case 1:
      return { path, headers: { ...plain, authorization: `Bearer ${randomUUID()}` }, body };
    case 2:
      return { path, headers: { ...plain, authorization: authorization.slice(0, -1) }, body };
    default:
      return { path: `/callbacks/${randomUUID()}`, headers, body };
  }
}

/** Returns the different statuses that came. */
async function atOnce(count: number, send: (at: number) => Promise<number>): Promise<readonly number[]> {
  const statuses = new Set<number>();
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < count) statuses.add(await send(next++));
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return [...statuses];
}
