import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TaskStores } from '../../../test/kit/tasks/task-stores.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase } from '../bench-case.js';
import type { Lab } from '../system/lab.js';
import { Rounds } from '../report/rounds.js';
import type { System } from '../system/system.js';

/** Children of the root, and of each of these: 10,000 tasks with the root, as many as a tree may have. */
const WIDTHS = { usual: [99, 100], quick: [9, 10] };
const LOOK_MS = 50;
const SPAWNED_WITHIN_MS = 300_000;
const ENDED_WITHIN_MS = 120_000;
/** Threshold of Redis's slow log, µs. */
const SLOW_US = 500;
/** The score of a task in its tree begins with the digit of its state (lua/lib/record/rank.lua): canceled. */
const CANCELED = '70';

const what = 'cancel of a tree of 10,000 tasks: half of the leaves sleep, the others have not begun';
const LAST = 'from the answer to the end of a task: p95, s';
const SLOWEST = 'the slowest command or script of Redis meanwhile, ms';
const BEGUN = 'tasks that began after the answer';

/** Time for a large tree to stop, and its cost for Redis (F10). */
export const cascade: BenchCase = {
  name: 'cascade',
  what: 'cancel of a tree of 10,000 tasks',
  goals: [
    { case: what, figure: LAST, system: 'parley', atMost: 30 },
    { case: what, figure: SLOWEST, system: 'parley', atMost: 10 },
    { case: what, figure: BEGUN, system: 'parley', atMost: 0 },
  ],
  onlyByName: true,

  async run(lab) {
    const rounds = new Rounds(what);
    const keyPrefix = `cascade-${randomUUID().slice(0, 8)}`;
    const stores = TaskStores.connect(lab.redis.url, { keyPrefix });
    try {
      const ground = { redis: lab.redis, variables: { KEY_PREFIX: keyPrefix } };
      for (const system of await lab.startAll(['parley'], ground)) {
        for (let round = 0; round < lab.effort.rounds; round += 1) await canceled(lab, system, stores, rounds);
      }
      return rounds.measures;
    } finally {
      stores.redis.disconnect();
    }
  },
};

async function canceled(lab: Lab, system: System, stores: TaskStores, rounds: Rounds): Promise<void> {
  const widths = WIDTHS[lab.effort.quick ? 'quick' : 'usual'];
  const root = await grown(system, stores, widths);
  await system.quiet();
  await stores.redis.config('SET', 'slowlog-log-slower-than', String(SLOW_US));
  await stores.redis.slowlog('RESET');
  await system.call('CancelTask', { id: root });
  const answered = await redisMs(stores);
  await ended(stores, root);
  // Before anything large is read here.
  const slow = (await stores.redis.slowlog('GET', '1000')) as readonly (readonly unknown[])[];
  const slowest = Math.max(0, ...slow.map(([, , us]) => Number(us)));
  const ends = await endsOf(stores, root);
  const begun = await begunAfter(stores, root, answered);
  const add = (figure: string, value: number): void => {
    rounds.add(figure, 'parley', value);
    lab.say(`${figure}: ${value.toFixed(2)}`);
  };
  add(LAST, Math.max(0, percentile(ends, 0.95) - answered) / 1_000);
  add('the last of them, s', Math.max(0, percentile(ends, 1) - answered) / 1_000);
  add(SLOWEST, slowest / 1_000);
  add(BEGUN, begun);
}

/** A tree whose tasks are all stored; those that may run have reached their sleep. */
async function grown(system: System, stores: TaskStores, widths: readonly number[]): Promise<string> {
  const { task } = await system.call('SendMessage', {
    message: {
      ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { widths } }] },
      metadata: { skillId: 'wide' },
    },
    configuration: { returnImmediately: true },
  });
  const { id } = task as { readonly id: string };
  const [first = 0, second = 0] = widths;
  const [all, parked] = [first + first * second, 1 + first + first * Math.ceil(second / 2)];
  const shard = shardOf(id);
  const deadline = Date.now() + SPAWNED_WITHIN_MS;
  const isGrown = async (): Promise<boolean> =>
    (await stores.redis.zcard(stores.keys.ofTree(shard, id))) === all &&
    (await stores.redis.zcard(stores.keys.parked(shard))) === parked;
  while (!(await isGrown())) {
    if (Date.now() > deadline) throw new Error('The tree did not grow');
    await pause(LOOK_MS);
  }
  return id;
}

/** Resolves when all tasks below the root are canceled. */
async function ended(stores: TaskStores, root: string): Promise<void> {
  const tree = stores.keys.ofTree(shardOf(root), root);
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const open = await stores.redis.zcount(tree, '-inf', `(${CANCELED}0000000000000`);
    if (open === 0) return;
    if (Date.now() > deadline) throw new Error(`${String(open)} tasks were not canceled`);
    await pause(LOOK_MS);
  }
}

/** When each of them was, ms by the clock of Redis. */
async function endsOf(stores: TaskStores, root: string): Promise<readonly number[]> {
  const tree = stores.keys.ofTree(shardOf(root), root);
  const scores = (await stores.redis.zrange(tree, '0', '-1', 'WITHSCORES')).filter((_one, at) => at % 2 === 1);
  return scores.map((score) => Number(BigInt(score) % 10_000_000_000_000n));
}

async function begunAfter(stores: TaskStores, root: string, ms: number): Promise<number> {
  const ids = await stores.redis.zrange(stores.keys.ofTree(shardOf(root), root), '0', '-1');
  let begun = 0;
  for (let at = 0; at < ids.length; at += 500) {
    const lists = await Promise.all(
      ids.slice(at, at + 500).map((id) => stores.redis.lrange(stores.keys.states(id), 0, -1)),
    );
    begun += lists
      .flat()
      .filter((entry) => entry.startsWith('TASK_STATE_WORKING ') && Number(entry.slice(-13)) > ms).length;
  }
  return begun;
}

async function redisMs(stores: TaskStores): Promise<number> {
  const [seconds, micros] = await stores.redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
