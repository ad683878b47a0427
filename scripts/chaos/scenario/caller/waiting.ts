import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { SHARDS, TaskKeys } from '../../../../src/tasks/task.keys.js';
import { insist } from '../../load/caller.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { readStoredTasks, type StoredTask } from '../../check/stored-tasks.js';

const SENDERS = 16;
/** Linux counts processor time in ticks of 10 ms. */
const TICK_MS = 10;

interface Cores {
  readonly sweep: number;
  readonly redis: number;
}

/** Keys of the parked tasks, and their cost while they wait: cores beyond those of an idle service. */
interface Costs {
  readonly parked: number;
  readonly waiting: number;
  readonly jobs: number;
  readonly bytesEach: number;
  readonly sweepCore: number;
  readonly redisCore: number;
}

/** Thousands of tasks, half of which sleep and half wait for a signal; they wake while workers are killed. */
export const waiting: Scenario = {
  name: 'waiting',
  what: 'tasks sleep or wait for a signal without a slot or process, and wake at different times while workers are killed',
  tasks: { usual: 1_000, full: 10_000 },
  settings: {
    ...{ workers: 2, standby: 1, 'kill-every-ms': 5_000 },
    // The idle service is watched; tasks are sent, and the last are parked; they are watched asleep, and they wake.
    ...{ 'idle-s': 10, 'send-ms': 12, 'park-s': 10, 'asleep-s': 20, 'wake-s': 60 },
  },

  async run({ tasks, random, setting, say }) {
    const fleet = await Fleet.start({
      size: { api: 1, worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
    });
    const redis = new Redis(fleet.redis.url);
    try {
      // Cost of the sweep where there is nothing to sweep.
      const idle = await coresOf(fleet, setting('idle-s') * 1_000);
      // The time to create them; the first sleeps until all are asleep and were watched for a while.
      const from = Date.now() + tasks * setting('send-ms') + (setting('park-s') + setting('asleep-s')) * 1_000;
      const dueAt = (at: number): number => from + (at / tasks) * setting('wake-s') * 1_000;
      const keys = new TaskKeys(fleet.keyPrefix);
      const park = async (first: number, end: number): Promise<void> => {
        await sendAll(fleet, { first, end }, dueAt);
        await until(async () => (await parkedIn(redis, keys)) === end, 60_000);
      };
      // Lists and indexes, made once by the first tasks, are no part of a task's size.
      const half = Math.floor(tasks / 2);
      await park(0, half);
      const before = await usedBytes(redis);
      await park(half, tasks);
      const bytesEach = Math.round(((await usedBytes(redis)) - before) / (tasks - half));
      say(`${String(tasks)} tasks are parked`);
      const costs = {
        ...(await costsOf({ fleet, redis, keys, idle, watchMs: setting('asleep-s') * 1_000 })),
        bytesEach,
      };
      say('now they wake; workers are killed in the second half');
      const killsFrom = from + (setting('wake-s') / 2) * 1_000;
      await pause(Math.max(0, killsFrom - Date.now()));
      const kill = { role: 'worker', everyMs: setting('kill-every-ms'), least: 1, random } as const;
      const asleep = async (): Promise<void> => {
        await until(async () => (await parkedIn(redis, keys)) === 0, setting('wake-s') * 1_000 + 30_000);
      };
      await fleet.killWhile(asleep, kill);
      await until(async () => (await openIn(redis, keys)) === 0, 60_000);
      return verdictOf(await readStoredTasks(fleet.redis.url, fleet.keyPrefix), { costs, fleet, tasks, killsFrom });
    } finally {
      redis.disconnect();
      await fleet.stop();
    }
  },
};

async function sendAll(
  fleet: Fleet,
  { first, end }: { readonly first: number; readonly end: number },
  dueAt: (at: number) => number,
): Promise<void> {
  let next = first;
  const sender = async (): Promise<void> => {
    for (let at = next++; at < end; at = next++) {
      await insist(() => fleet.apis, 'SendMessage', {
        message: {
          messageId: randomUUID(),
          role: 'ROLE_USER',
          parts: [{ text: 'go' }],
          metadata: { skillId: 'sleeper' },
        },
        metadata: { plan: { until: Math.round(dueAt(at)), waits: at % 2 === 1 } },
        configuration: { returnImmediately: true },
      });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

async function costsOf(the: {
  readonly fleet: Fleet;
  readonly redis: Redis;
  readonly keys: TaskKeys;
  readonly idle: Cores;
  readonly watchMs: number;
}): Promise<Omit<Costs, 'bytesEach'>> {
  const { fleet, redis, keys, idle, watchMs } = the;
  const asleep = await coresOf(fleet, watchMs);
  const more = (by: number, before: number): number => Math.max(0, Math.round((by - before) * 10_000) / 10_000);
  return {
    parked: await parkedIn(redis, keys),
    waiting: await sizeOf(redis, (shard) => keys.fairQueue(shard)),
    jobs: await redis.llen(`{${fleet.keyPrefix}-queue}:runs:wait`),
    sweepCore: more(asleep.sweep, idle.sweep),
    redisCore: more(asleep.redis, idle.redis),
  };
}

/** Shares of a core that the sweep and Redis take. */
async function coresOf(fleet: Fleet, ms: number): Promise<Cores> {
  const dispatcher = fleet.up('dispatcher')[0]?.pid ?? 0;
  const before = { sweep: ticksOf(dispatcher), redis: ticksOf(fleet.redis.pid) };
  await pause(ms);
  const core = (ticks: number): number => (ticks * TICK_MS) / ms;
  return { sweep: core(ticksOf(dispatcher) - before.sweep), redis: core(ticksOf(fleet.redis.pid) - before.redis) };
}

/** Processor time of a process so far, user and system. */
function ticksOf(pid: number): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** Memory of Redis's data: without buffers of connections, which are as large as many tasks. */
async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

function parkedIn(redis: Redis, keys: TaskKeys): Promise<number> {
  return sizeOf(redis, (shard) => keys.parked(shard));
}

function openIn(redis: Redis, keys: TaskKeys): Promise<number> {
  return sizeOf(redis, (shard) => keys.due(shard));
}

async function sizeOf(redis: Redis, keyOf: (shard: number) => string): Promise<number> {
  const shards = Array.from({ length: SHARDS }, (_unused, shard) => redis.zcard(keyOf(shard)));
  return (await Promise.all(shards)).reduce((sum, size) => sum + size, 0);
}

/** When a task was to wake, and how late it did, ms: it says both. */
function wakesOf({ events }: StoredTask): readonly { readonly due: number; readonly lateMs: number }[] {
  return events.flatMap(({ event }) => {
    const metadata = 'statusUpdate' in event ? event.statusUpdate.metadata : undefined;
    const { due, at } = (metadata ?? {}) as { due?: number; at?: number };
    return due === undefined || at === undefined ? [] : [{ due, lateMs: at - due }];
  });
}

function verdictOf(
  stored: readonly StoredTask[],
  {
    costs,
    fleet,
    tasks,
    killsFrom,
  }: { readonly costs: Costs; readonly fleet: Fleet; readonly tasks: number; readonly killsFrom: number },
): Outcome {
  const woken = stored.map(wakesOf);
  const lateOf = (isOf: (due: number) => boolean) =>
    spread(woken.flat().flatMap(({ due, lateMs }) => (isOf(due) ? [lateMs] : [])));
  const late = lateOf((due) => due < killsFrom);
  const lateUnderKills = lateOf((due) => due >= killsFrom);
  const completed = stored.filter(({ fields }) => fields.state === 'TASK_STATE_COMPLETED').length;
  return {
    figures: { kills: fleet.kills.length, ...costs, lateMs: late, lateUnderKillsMs: lateUnderKills },
    summary: `${String(costs.parked)} parked tasks: ${String(costs.waiting)} runs in the queues, ${String(costs.jobs)} jobs, ${String(costs.bytesEach)} bytes each, ${String(costs.sweepCore * 100)} % of a core for the sweep and ${String(costs.redisCore * 100)} % for Redis; woken ${String(late.p50)} ms late (p50), ${String(late.p99)} ms (p99), ${String(late.max)} ms at most; while ${String(fleet.kills.length)} workers were killed ${String(lateUnderKills.p50)} ms (p50), ${String(lateUnderKills.max)} ms at most`,
    broken: unless({
      'a task did not complete': completed === tasks,
      'a task woke before its time': woken.flat().every(({ lateMs }) => lateMs >= 0),
      'a task woke twice': woken.every((times) => times.length === 1),
      'a parked task was in a queue': costs.waiting === 0 && costs.jobs === 0,
      'tasks were not parked': costs.parked === tasks,
      'processes ended by themselves': fleet.surprises.length === 0,
      'a parked task takes more than 6 KiB': costs.bytesEach <= 6 * 1_024,
    }),
    late: unless({
      'the sweep of parked tasks took more than 1 % of a core': costs.sweepCore <= 0.01,
      'a task woke more than 1 s late (p99)': late.p99 <= 1_000,
    }),
  };
}
