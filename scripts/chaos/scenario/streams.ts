import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Order, paramsOf } from '../caller.js';
import { spread } from '../figures.js';
import { Fleet, until } from '../fleet.js';
import type { Random } from '../random.js';
import { Reader, type Disconnects } from '../reader.js';
import { type Outcome, type Scenario, unless } from '../scenario.js';
import { SilentPubSub } from '../silent-pubsub.js';
import type { StoredTask } from '../stored-tasks.js';
import { verdict } from '../verdict.js';
import { emptyHistory } from '../workload.js';

const READERS_EACH = 4;

/** Readers of three replicas are cut off at random and resume elsewhere, while pub/sub loses everything for a while. */
export const streams: Scenario = {
  name: 'streams',
  what: 'readers of three replicas are cut off 1,000 times, and pub/sub is silent for 30 s',
  usualTasks: 50,

  async run({ tasks, random, number }) {
    let wire: SilentPubSub | undefined;
    const fleet = await Fleet.start({
      size: { api: 3, worker: 2, dispatcher: 1 },
      standby: {},
      variables: { WORKER_CONCURRENCY: '50' },
      onRedis: async ({ port }) => void (wire = await SilentPubSub.before(port)),
      redisUrl: (redis, role) => (role === 'api' ? (wire?.url ?? '') : redis.url),
    });
    try {
      const audience = new Audience(fleet, random, number('disconnects', 1_000));
      const begun = Date.now();
      const silence = beSilent(wire, number('silent-s', 30) * 1000);
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

/** All readers of one run. */
class Audience {
  readonly readers: Reader[] = [];
  readonly history = emptyHistory();
  readonly disconnects: Disconnects;

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
    disconnects: number,
  ) {
    this.disconnects = { left: disconnects };
  }

  /** Begins a task, and reads it to its end with several readers at once. */
  async attend(): Promise<void> {
    const plan = { steps: this.random.between(20, 40), pauseMs: this.random.between(200, 1_500), asks: false };
    const order: Order = { messageId: randomUUID(), skillId: 'steps', plan };
    this.history.orders.push(order);
    const first = this.reader(order);
    const reading = first.run();
    await until(() => first.taskId !== undefined, 60_000);
    this.history.accepted.set(order.messageId, new Set([first.taskId ?? '']));
    const others = Array.from({ length: READERS_EACH - 1 }, () => this.reader());
    for (const other of others) other.taskId = first.taskId;
    await Promise.all([reading, ...others.map((other) => other.run())]);
  }

  private reader(order?: Order): Reader {
    const params = order === undefined ? undefined : paramsOf(order);
    const reader = new Reader(() => this.fleet.apis, this.random, this.disconnects, params);
    this.readers.push(reader);
    return reader;
  }
}

async function outcomeOf(
  fleet: Fleet,
  audience: Audience,
  extra: { lostMessages: number; seconds: number },
): Promise<Outcome> {
  const { readers, disconnects, history } = audience;
  const { stored, figures, broken } = await verdict(fleet, history);
  const faults = readers.flatMap((reader) => [...reader.faults, ...differences(reader, stored)]);
  const promises = unless({
    'a reader saw something else than what is stored, each event once, in order': faults.length === 0,
    'not all disconnects were made': disconnects.left <= 0,
    'pub/sub lost nothing': extra.lostMessages > 0,
  });
  const lateMs = spread(readers.map((reader) => (reader.endedAt ?? Infinity) - endOf(reader, stored)));
  return {
    figures: { ...figures, readers: readers.length, lateMs, ...extra },
    broken: [...broken, ...promises, ...faults.slice(0, 5)],
  };
}

async function beSilent(wire: SilentPubSub | undefined, ms: number): Promise<void> {
  if (wire === undefined) return;
  await pause(3_000);
  wire.isSilent = true;
  await pause(ms);
  wire.isSilent = false;
}

/** How a reader's events differ from what is stored from its first event on. */
function differences({ events, taskId }: Reader, stored: readonly StoredTask[]): readonly string[] {
  const task = stored.find(({ id }) => id === taskId);
  const [first] = events;
  if (task === undefined || first === undefined) return ['a reader without a task'];
  const expected = task.events.slice(first.seq - 1);
  if (expected.length !== events.length) return [`${events.length} events of ${expected.length}`];
  return events.slice(1).flatMap(({ seq, data }, at) => {
    const is = expected[at + 1];
    return is?.seq === seq && JSON.stringify(is.event) === data ? [] : [`event ${seq} is not what is stored`];
  });
}

/** When the task's last event was written, in ms since the epoch. */
function endOf({ taskId }: Reader, stored: readonly StoredTask[]): number {
  return Number(stored.find(({ id }) => id === taskId)?.fields.ms ?? 0);
}
