import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { call, insist, type Order, paramsOf } from '../caller.js';
import { SHARDS, TaskKeys } from '../../../src/task/task.keys.js';
import { Fleet, until } from '../fleet.js';
import { isEnd, isTerminalState } from '../history.js';
import type { Random } from '../random.js';
import { Reader } from '../reader.js';
import { type Outcome, type Scenario, unless } from '../scenario.js';
import { violationsIn } from '../verdict.js';
import { type Vitals, VitalsLog } from '../vitals.js';
import { type ChaosReceiver, healthyReceiver } from '../webhook/receivers.js';
import { webhookVariables } from '../webhook/settings.js';

/** Finished tasks are kept for a minute. */
const KEPT_MS = 60_000;
/** A task is looked up this long after it was sent, and again until it has ended. */
const LOOK_AFTER_MS = 8_000;
const LOOKS = 8;
const SAMPLE_MS = 5_000;
/** What a figure may rise over the whole time, as a share of it, and what is too little to speak of. */
const MOST_RISE = 0.1;
const LEAST: Vitals = { rss: 8e6, heap: 4e6, memory: 8e6, keys: 500, sockets: 6, timers: 6, clients: 6 };
/** Callers of the trial that finds what the fleet can do. */
const TRIAL = { callers: 150, ms: 10_000 };

/** Everything at once, for long, at half of what the fleet can do. */
export const soak: Scenario = {
  name: 'soak',
  what: 'sends, streams, lists, webhooks, cancels and removals at half capacity; a worker is killed each minute',
  settings: { minutes: 20, apis: 2, workers: 3, standby: 1, 'most-per-s': 400 },

  async run({ random, setting, say }) {
    const receiver = await healthyReceiver().listen();
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
      standby: { worker: setting('standby') },
      variables: { ...webhookVariables([receiver]), CHAOS_VITALS: '1' },
      taskOptions: { terminalTtlMs: KEPT_MS, rejectedTtlMs: KEPT_MS, sentTtlMs: KEPT_MS, maxAttempts: 100 },
    });
    const traffic = new Traffic(fleet, random, receiver);
    const redis = new RedisVitals(fleet.redis.url);
    try {
      const perSecond = Math.min(setting('most-per-s'), Math.max(4, Math.floor((await traffic.trial()) / 2)));
      say(`${String(perSecond)} calls a second`);
      const [began, ms] = [Date.now(), setting('minutes') * 60_000];
      // The first worker lives throughout: its memory is the one that tells.
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
      // What is filled in the first quarter, and until the first tasks are removed, is no growth.
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

type Kind = 'send' | 'wait' | 'stream' | 'hook' | 'cancel' | 'list' | 'nap';
/** Of a hundred calls. */
const MIX: readonly (readonly [Kind, number])[] = [
  ...([
    ['send', 40],
    ['wait', 15],
    ['stream', 10],
    ['hook', 10],
    ['cancel', 10],
    ['list', 10],
    ['nap', 5],
  ] as const),
];

/** Callers of all kinds at a steady rate, each of whom sees to it that its task comes to its end. */
class Traffic {
  readonly faults: string[] = [];
  readonly done = new Map<Kind, number>();
  failures = 0;
  lost = 0;
  calls = 0;
  private readonly under = new Set<Promise<void>>();
  /** Tasks with a webhook whose end has not come there. */
  private readonly unheard = new Set<string>();
  private readonly heard = new Set<string>();

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
    private readonly receiver: ChaosReceiver,
  ) {
    receiver.onArrival = ({ taskId, body }) => {
      // What it writes down for the checker would be all that grows here.
      receiver.arrivals.length = 0;
      if (!isEnd(body)) return;
      if (!this.unheard.delete(taskId)) this.heard.add(taskId);
    };
  }

  /** Calls a second that the fleet answers when callers do not wait. */
  async trial(): Promise<number> {
    const until = Date.now() + TRIAL.ms;
    let answered = 0;
    const caller = async (): Promise<void> => {
      while (Date.now() < until) {
        await this.one(this.pick());
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: TRIAL.callers }, caller));
    await this.settled();
    return (answered * 1000) / TRIAL.ms;
  }

  async run(perSecond: number, ms: number): Promise<void> {
    const began = Date.now();
    for (let sent = 0; Date.now() - began < ms;) {
      const due = Math.floor(((Date.now() - began) / 1000) * perSecond);
      for (; sent < due; sent += 1) this.begin(this.one(this.pick()));
      await pause(20);
    }
  }

  /** Resolves when all that was begun has come to its end, or was given up. */
  async settled(): Promise<void> {
    while (this.under.size > 0) await Promise.all(this.under);
    for (let looks = 0; this.unheard.size > 0 && looks < 60; looks += 1) await pause(1_000);
  }

  get unnoticed(): number {
    return this.unheard.size;
  }

  inWords(): string {
    return `${String(this.calls)} calls, ${String(this.lost)} lost, ${String(this.failures)} failed, ${String(this.under.size)} under way`;
  }

  private begin(work: Promise<void>): void {
    const entry = work.finally(() => this.under.delete(entry));
    this.under.add(entry);
  }

  private pick(): Kind {
    let at = this.random.between(1, 100);
    for (const [kind, share] of MIX) {
      at -= share;
      if (at <= 0) return kind;
    }
    return 'send';
  }

  private async one(kind: Kind): Promise<void> {
    this.calls += 1;
    this.done.set(kind, (this.done.get(kind) ?? 0) + 1);
    const replicas = (): readonly string[] => this.fleet.apis;
    if (kind === 'list') {
      const { result } = await insist(replicas, 'ListTasks', { pageSize: 20 });
      if (result === undefined) this.failures += 1;
      return;
    }
    const plan = { steps: this.random.between(0, 3), pauseMs: this.random.between(60, 150), asks: false };
    const skillId = kind === 'nap' ? 'naps' : 'steps';
    const hook = kind === 'hook' ? { hook: this.receiver.origin } : {};
    const order: Order = { messageId: randomUUID(), skillId, plan, ...hook };
    if (kind === 'stream') {
      const reader = new Reader(replicas, this.random, { beginning: paramsOf(order) });
      await reader.run();
      if (reader.faults.length > 0) this.fail(`a stream: ${reader.faults[0] ?? ''}`);
      return;
    }
    const { result } = await insist(replicas, 'SendMessage', paramsOf(order, kind !== 'wait'));
    const id = result?.task?.id;
    if (id === undefined) {
      this.failures += 1;
      return;
    }
    if (kind === 'hook' && !this.heard.delete(id)) this.unheard.add(id);
    if (kind === 'cancel') await call(replicas()[0] ?? '', 'CancelTask', { id });
    this.begin(this.follow(id));
  }

  /** An accepted task comes to its end, and can be read until it is removed. */
  private async follow(id: string): Promise<void> {
    let state = '';
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(LOOK_AFTER_MS);
      const { result } = await insist(() => this.fleet.apis, 'GetTask', { id });
      state = (result as { status?: { state?: string } } | undefined)?.status?.state ?? 'gone';
      if (isTerminalState(state) || state === 'gone') break;
    }
    if (state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_CANCELED') return;
    this.lost += 1;
    this.fail(`${id} is ${state}`);
  }

  private fail(fault: string): void {
    if (this.faults.length < 5) this.faults.push(fault);
  }
}

/** What Redis holds. */
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
      rise > MOST_RISE && rise * last > (LEAST[figure] ?? 0)
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
