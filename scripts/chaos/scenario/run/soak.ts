import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { SHARDS, TaskKeys } from '../../../../src/tasks/task.keys.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { Traffic } from '../../load/traffic.js';
import { violationsIn } from '../../check/verdict.js';
import { type Vitals, VitalsLog } from '../../fleet/vitals.js';
import { healthyReceiver } from '../../webhook/receivers.js';
import { webhookVariables } from '../../webhook/settings.js';

/** Finished tasks are kept for a minute. */
const KEPT_MS = 60_000;
const SAMPLE_MS = 5_000;
/** Permitted rise of a figure over the whole time, as a share of it, and the rise that is negligible. */
const MAX_RISE = 0.1;
const LEAST: Vitals = { rss: 8e6, heap: 4e6, memory: 8e6, keys: 500, sockets: 6, timers: 6, clients: 6 };

/** All of it at once, for long, at half of the fleet's capacity. */
export const soak: Scenario = {
  name: 'soak',
  what: 'sends, streams, lists, webhooks, cancels and purges at half capacity; a worker is killed each minute',
  settings: { minutes: 20, apis: 2, workers: 3, standby: 1, 'most-per-s': 400 },

  async run({ random, setting, say }) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      variables: { ...webhookVariables([receiver]), CHAOS_VITALS: '1' },
      taskOptions: { terminalTtlMs: KEPT_MS, rejectedTtlMs: KEPT_MS, maxAttempts: 100 },
    });
    const traffic = new Traffic(fleet, random, receiver);
    const redis = new RedisVitals(fleet.redis.url);
    try {
      const perSecond = Math.min(setting('most-per-s'), Math.max(4, Math.floor((await traffic.trial()) / 2)));
      say(`${String(perSecond)} calls a second`);
      const [began, ms] = [Date.now(), setting('minutes') * 60_000];
      // The first worker lives throughout: its memory is the significant one.
      const [eldest] = fleet.up('worker');
      const killing = setInterval(() => {
        const victim = random.pick(fleet.up('worker').filter((worker) => worker !== eldest));
        if (victim !== undefined) fleet.kill(victim, 'worker', 'SIGKILL');
        say(`${String(Math.round((Date.now() - began) / 60_000))} min: ${traffic.inWords()}`);
      }, 60_000);
      await Promise.all([traffic.run(perSecond, ms), redis.watch(ms)]).finally(() => {
        clearInterval(killing);
      });
      await traffic.settled();
      // Every task is removed in the end, and leaves nothing behind in lists and schedules.
      await until(async () => (await redis.tasks(fleet.keyPrefix)) === 0, 3 * KEPT_MS);
      // Memory filled in the first quarter, and until the first tasks are removed, is no growth.
      const from = began + Math.max(ms / 4, Math.min(KEPT_MS + 15_000, ms / 2));
      const lived = [...fleet.up('api'), ...fleet.up('dispatcher'), ...(eldest === undefined ? [] : [eldest])];
      return await outcomeOf({
        fleet,
        traffic,
        perSecond,
        from,
        logs: [...lived.map(({ vitals }) => vitals), redis.log],
      });
    } finally {
      redis.close();
      await fleet.stop();
      await receiver.close();
    }
  },
};

/** Memory of Redis. */
class RedisVitals {
  readonly log = new VitalsLog('redis');
  private readonly redis: Redis;

  constructor(url: string) {
    this.redis = new Redis(url);
  }

  async watch(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until;) {
      const info = await this.redis.info();
      const figure = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
      this.log.add(Date.now(), {
        ...{ memory: figure('used_memory'), keys: await this.redis.dbsize(), clients: figure('connected_clients') },
      });
      await pause(SAMPLE_MS);
    }
  }

  /** Tasks that are stored. */
  async tasks(keyPrefix: string): Promise<number> {
    const keys = new TaskKeys(keyPrefix);
    const schedules = Array.from({ length: SHARDS }, (_unused, shard) => [keys.due(shard), keys.over(shard)]).flat();
    const sizes = await Promise.all(schedules.map((schedule) => this.redis.zcard(schedule)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  close(): void {
    this.redis.disconnect();
  }
}

async function outcomeOf(soaked: {
  readonly fleet: Fleet;
  readonly traffic: Traffic;
  readonly perSecond: number;
  readonly from: number;
  readonly logs: readonly VitalsLog[];
}): Promise<Outcome> {
  const { fleet, traffic, perSecond, from, logs } = soaked;
  const courses = logs.map((log) => [log.name, log.courses(from)] as const);
  const growing = courses.flatMap(([name, figures]) =>
    Object.entries(figures).flatMap(([figure, { last, slope, rise }]) =>
      rise > MAX_RISE && rise * last > (LEAST[figure] ?? 0)
        ? [`${name}: ${figure} grows by ${slope.toFixed(1)} a minute`]
        : [],
    ),
  );
  const violated = await violationsIn(fleet);
  const { lost, failures, unnoticed, calls, faults } = traffic;
  const promises = unless({
    'tasks were lost': lost === 0,
    'calls failed': failures === 0,
    'events never came to their webhook': unnoticed === 0,
    'stored tasks are not as they must be': violated.length === 0,
    'processes ended by themselves': fleet.surprises.length === 0,
  });
  const details = [...faults, ...violated.slice(0, 3), ...fleet.surprises.slice(0, 3)];
  return {
    figures: {
      ...{ perSecond, calls, kinds: Object.fromEntries(traffic.done), kills: fleet.kills.length, lost, failures },
      ...{ unnoticed, violations: violated.length, courses: Object.fromEntries(courses.map(readable)) },
    },
    summary: `${String(calls)} calls at ${String(perSecond)} a second, ${String(fleet.kills.length)} kills: ${String(lost)} tasks lost, ${String(unnoticed)} webhooks unheard; ${courses.map(([name, figures]) => `${name}: ${inWords(figures)}`).join('; ')}`,
    broken: [...promises, ...(promises.length === 0 ? [] : details)],
    late: growing,
  };
}

type Figures = ReturnType<VitalsLog['courses']>;

function readable([name, figures]: readonly [string, Figures]): readonly [string, unknown] {
  const rounded = Object.entries(figures).map(([figure, { first, last, slope, rise }]) => {
    return [figure, { first, last, slope: Math.round(slope * 10) / 10, rise: Math.round(rise * 1_000) / 1_000 }];
  });
  return [name, Object.fromEntries(rounded)];
}

function inWords(figures: Figures): string {
  const isBytes = (name: string): boolean => ['rss', 'heap', 'memory'].includes(name);
  return Object.entries(figures)
    .map(([name, { last, slope }]) =>
      isBytes(name)
        ? `${name} ${(last / 2 ** 20).toFixed(0)} MiB, ${(slope / 2 ** 20).toFixed(2)} a minute`
        : `${name} ${String(last)}, ${slope.toFixed(2)} a minute`,
    )
    .join(', ');
}
