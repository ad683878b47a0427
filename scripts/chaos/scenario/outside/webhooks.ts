import type { TaskPushHistory } from '../../../../src/webhooks/delivery/attempt/push-history.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { type Outcome, type Scenario, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';
import { compare, delays } from '../../webhook/arrivals.js';
import { order } from '../../webhook/orders.js';
import {
  type ChaosReceiver,
  EXPECTED_REASONS,
  healthyReceiver,
  isBounded,
  troubledReceivers,
} from '../../webhook/receivers.js';
import { webhookVariables } from '../../webhook/settings.js';

/** Events that a task of this many steps commits: submitted, working, begin, two for each step, completed. */
const eventsOf = (steps: number): number => 4 + 2 * steps;

const P95_MS = 1_000;
const P99_MS = 2_000;

/** One healthy receiver hears of everything, in order and in time, while nine others misbehave in nine ways. */
export const webhooks: Scenario = {
  name: 'webhooks',
  what: 'one receiver is healthy, nine others misbehave in nine ways',
  tasks: { usual: 420, full: 420 },
  settings: { dispatchers: 1, steps: 4, 'tasks-per-second': 8 },

  async run({ tasks, random, say, setting }) {
    const healthy = await healthyReceiver().listen();
    const troubled = await Promise.all(troubledReceivers().map((receiver) => receiver.listen()));
    const fleet = await Fleet.start({
      size: { api: 1, worker: 1, dispatcher: setting('dispatchers') },
      standby: {},
      variables: { ...webhookVariables([healthy, ...troubled]), WORKER_CONCURRENCY: '50' },
    });
    try {
      const steps = setting('steps');
      const began = Date.now();
      const ids = await order(
        {
          ...{ tasks, steps, pauseMs: 20, tasksPerSecond: setting('tasks-per-second') },
          urlsOf: (n) => [healthy.origin, ...each(troubled, n, 3).map(({ origin }) => origin)],
        },
        () => fleet.apis,
        random,
      );
      say(`${ids.length} tasks are sent`);
      await until(() => healthy.arrivals.length >= tasks * eventsOf(steps), 120_000).catch(() => undefined);
      const seconds = Math.round((Date.now() - began) / 1000);
      // An attempt at a receiver that hangs takes 10 s, one at a receiver that drips 15.
      await until(() => troubled.every(({ arrivals, name }) => arrivals.length > 0 || name === 'tls'), 60_000);
      return await outcome({ fleet, healthy, troubled, ids, seconds });
    } finally {
      await fleet.stop();
      await Promise.all([healthy, ...troubled].map((receiver) => receiver.close()));
    }
  },
};

interface Run {
  readonly fleet: Fleet;
  readonly healthy: ChaosReceiver;
  readonly troubled: readonly ChaosReceiver[];
  readonly ids: readonly string[];
  readonly seconds: number;
}

async function outcome({ fleet, healthy, troubled, ids, seconds }: Run): Promise<Outcome> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const committed = new Map(stored.map(({ id, events }) => [id, events.length]));
  const order = compare(healthy.arrivals, committed);
  const delayMs = spread(delays(healthy.arrivals));
  const reasons = await reasonsOf(fleet, troubled, ids);
  const wrong = troubled.filter(({ name }) => String(reasons[name]) !== EXPECTED_REASONS[name]);
  const attempts = Object.fromEntries(troubled.map(({ name, arrivals }) => [name, arrivals.length]));
  return {
    figures: { events: healthy.arrivals.length, seconds, delayMs, ...order, attempts, reasons },
    summary: `${healthy.arrivals.length} events for the healthy receiver, ${order.missing} missing, ${order.reordered} out of order, after ${delayMs.p95} ms (p95), ${delayMs.p99} ms (p99)`,
    broken: unless({
      'events did not arrive': order.missing === 0,
      'events arrived twice although nothing crashed': order.repeated === 0,
      'events arrived out of order': order.reordered === 0,
      [`not as specified: ${wrong.map(({ name }) => `${name} ${String(reasons[name])}`).join(', ')}`]:
        wrong.length === 0,
      'a redirect was followed': troubled.every(({ followed }) => followed === 0),
      'an endless answer was read': troubled.every(isBounded),
      'processes ended by themselves': fleet.surprises.length === 0,
    }),
    late: unless({
      [`p95 of the healthy receiver is not below ${P95_MS} ms`]: delayMs.p95 < P95_MS,
      [`p99 of the healthy receiver is not below ${P99_MS} ms`]: delayMs.p99 < P99_MS,
    }),
  };
}

/** Outcomes of the attempts at each receiver, by the service's own account. */
async function reasonsOf(
  fleet: Fleet,
  troubled: readonly ChaosReceiver[],
  ids: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const seen = new Map(troubled.map(({ origin }) => [origin, new Set<string>()]));
  const isComplete = async (): Promise<boolean> => {
    for (const id of ids) await readAttempts(fleet, id, seen);
    return [...seen.values()].every(({ size }) => size > 0);
  };
  await until(isComplete, 60_000).catch(() => undefined);
  return Object.fromEntries(troubled.map(({ name, origin }) => [name, [...(seen.get(origin) ?? [])]]));
}

async function readAttempts(fleet: Fleet, id: string, seen: ReadonlyMap<string, Set<string>>): Promise<void> {
  const response = await fetch(`${fleet.apis[0] ?? ''}/webhooks/attempts/${id}`);
  const { attempts } = (await response.json()) as TaskPushHistory;
  for (const { origin, reason = 'delivered' } of attempts) seen.get(origin)?.add(reason);
}

/** `count` of the receivers, different ones for each number in turn. */
function each<T>(all: readonly T[], n: number, count: number): readonly T[] {
  return Array.from({ length: count }, (_unused, at) => all[(n * count + at) % all.length]).filter(
    (one) => one !== undefined,
  );
}
