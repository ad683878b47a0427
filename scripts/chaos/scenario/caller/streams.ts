import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Order, paramsOf } from '../../load/caller.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { emptyHistory } from '../../load/history.js';
import type { Random } from '../../load/random.js';
import { type Disconnects, Reader } from '../../load/reader.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { SilentPubSub } from '../../fleet/silent-pubsub.js';
import type { StoredTask } from '../../check/stored-tasks.js';
import { verdict } from '../../check/verdict.js';

const READERS_EACH = 4;
const SHORTEST_PAUSE_MS = 200;
/** While pub/sub is silent the log is asked every 3 s; the rest is for a machine that is busy. */
const LATEST_MS = 5_000;

/** Readers of three replicas are cut off at random and resume elsewhere, while pub/sub loses everything for a while. */
export const streams: Scenario = {
  name: 'streams',
  what: 'readers of three replicas are disconnected 1,000 times, and pub/sub loses all messages for 30 s',
  tasks: { usual: 50, full: 50 },
  settings: { apis: 3, workers: 2, disconnects: 1_000, 'silent-s': 30, 'longest-pause-ms': 1_500 },

  async run({ tasks, random, setting }) {
    let wire: SilentPubSub | undefined;
    const fleet = await Fleet.start({
      size: { api: setting('apis'), worker: setting('workers'), dispatcher: 1 },
      standby: {},
      variables: { WORKER_CONCURRENCY: '50' },
      onRedis: async ({ port }) => void (wire = await SilentPubSub.before(port)),
      redisUrl: (redis, role) => (role === 'api' ? (wire?.url ?? '') : redis.url),
    });
    try {
      const pauseMs = [SHORTEST_PAUSE_MS, setting('longest-pause-ms')] as const;
      const audience = new Audience({ fleet, random, pauseMs, disconnects: { left: setting('disconnects') } });
      const begun = Date.now();
      const silence = beSilent(wire, setting('silent-s') * 1000);
      await Promise.all(Array.from({ length: tasks }, () => audience.attend()));
      await silence;
      const seconds = Math.round((Date.now() - begun) / 1000);
      return await outcomeOf(fleet, audience, { lostMessages: wire?.lost ?? 0, seconds });
    } finally {
      await fleet.stop();
      wire?.close();
    }
  },
};

interface AudienceOptions {
  readonly fleet: Fleet;
  readonly random: Random;
  readonly pauseMs: readonly [number, number];
  readonly disconnects: Disconnects;
}

/** All readers of one run. */
class Audience {
  readonly readers: Reader[] = [];
  readonly history = emptyHistory();

  constructor(readonly options: AudienceOptions) {}

  /** Begins a task, and reads it to its end with several readers at once. */
  async attend(): Promise<void> {
    const { random, pauseMs } = this.options;
    const plan = { steps: random.between(20, 40), pauseMs: random.between(...pauseMs), asks: false };
    const order: Order = { messageId: randomUUID(), skillId: 'steps', plan };
    this.history.orders.push(order);
    const first = this.reader({ beginning: paramsOf(order) });
    const reading = first.run();
    await until(() => first.taskId !== undefined, 60_000);
    const taskId = await first.begun;
    this.history.accepted.set(order.messageId, new Set([taskId]));
    const others = Array.from({ length: READERS_EACH - 1 }, () => this.reader({ taskId }));
    await Promise.all([reading, ...others.map((other) => other.run())]);
  }

  private reader(options: { readonly beginning: unknown } | { readonly taskId: string }): Reader {
    const { fleet, random, disconnects } = this.options;
    const reader = new Reader(() => fleet.apis, random, { ...options, disconnects });
    this.readers.push(reader);
    this.history.readings.push(reader);
    return reader;
  }
}

async function outcomeOf(
  fleet: Fleet,
  audience: Audience,
  extra: { readonly lostMessages: number; readonly seconds: number },
): Promise<Outcome> {
  const { readers, history, options } = audience;
  const { stored, figures, broken, summary, findings } = await verdict(fleet, history);
  const { left } = options.disconnects;
  const promises = unless({
    'not all disconnects were made': left <= 0,
    'pub/sub lost nothing': extra.lostMessages > 0,
  });
  const interruptions = readers.reduce((sum, reader) => sum + reader.interruptions, 0);
  const lateMs = spread(
    readers.filter(({ isTooLate }) => !isTooLate).map((reader) => (reader.endedAt ?? Infinity) - endOf(reader, stored)),
  );
  return {
    figures: { ...figures, readers: readers.length, interruptions, lateMs, ...extra },
    summary: `${summary}; ${readers.length} readers, ${findings.misread} with a missing, repeated or misplaced event; ${extra.lostMessages} messages lost by pub/sub; the end arrived after ${lateMs.p95} ms (p95), ${lateMs.max} ms at most`,
    broken: [...broken, ...promises],
    late: unless({ [`the end came later than ${LATEST_MS} ms`]: lateMs.max <= LATEST_MS }),
  };
}

async function beSilent(wire: SilentPubSub | undefined, ms: number): Promise<void> {
  if (wire === undefined) return;
  await pause(3_000);
  wire.isSilent = true;
  await pause(ms);
  wire.isSilent = false;
}

/** When the task's last event was written, in ms since the epoch. */
function endOf({ taskId }: Reader, stored: readonly StoredTask[]): number {
  return Number(stored.find(({ id }) => id === taskId)?.fields.ms ?? 0);
}
