import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { insist, type Order, paramsOf } from '../../load/caller.js';
import { beginningsOf } from '../../check/checker.js';
import { spread } from '../../check/figures.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { emptyHistory } from '../../load/history.js';
import { type Scenario, type ScenarioOptions, unless } from '../../scenario.js';
import { SilentPubSub } from '../../fleet/silent-pubsub.js';
import type { StoredTask } from '../../check/stored-tasks.js';
import { verdict } from '../../check/verdict.js';

const PLAN = { steps: 1, pauseMs: 0, asks: false };
const LONGEST_MS = 1_000;

/** Every hint is published and lost, then every job as well: runs are found by the polls of idle workers. */
export const wakes: Scenario = {
  name: 'wakes',
  what: 'pub/sub loses every message from the start, then all jobs of BullMQ are lost as well',
  tasks: { usual: 100, full: 300 },
  settings: { workers: 2, 'every-ms': 70 },

  async run(options) {
    const hints = await losing('hints', options);
    const both = await losing('hints and jobs', options);
    const inWords = ({ waitMs, lost }: Losses): string =>
      `${String(waitMs.p50)} ms (p50), ${String(waitMs.max)} ms at most, ${String(lost)} messages lost`;
    return {
      figures: { hintsLost: hints.figures, bothLost: both.figures },
      summary: `a run begins after ${inWords(hints)}; without jobs as well after ${inWords(both)}`,
      broken: [...hints.broken, ...both.broken],
      late: unless({
        'a run waited longer than 1 s': Math.max(hints.waitMs.max, both.waitMs.max) <= LONGEST_MS,
      }),
    };
  },
};

interface Losses {
  readonly waitMs: ReturnType<typeof spread>;
  readonly lost: number;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly broken: readonly string[];
}

async function losing(what: 'hints' | 'hints and jobs', { tasks, setting }: ScenarioOptions): Promise<Losses> {
  let wire: SilentPubSub | undefined;
  const fleet = await Fleet.start({
    size: { api: 1, worker: setting('workers'), dispatcher: 1 },
    standby: {},
    ...(what === 'hints' ? {} : { variables: { CHAOS_NO_JOBS: '1' } }),
    onRedis: async ({ port }) => {
      wire = await SilentPubSub.before(port);
      wire.isSilent = true;
    },
    redisUrl: (redis) => wire?.url ?? redis.url,
  });
  try {
    const history = emptyHistory();
    for (let sent = 0; sent < tasks; sent += 1) {
      const order: Order = { messageId: randomUUID(), skillId: 'steps', plan: PLAN };
      history.orders.push(order);
      const { result } = await insist(() => fleet.apis, 'SendMessage', paramsOf(order));
      history.accepted.set(order.messageId, new Set([result?.task?.id ?? '']));
      await pause(setting('every-ms'));
    }
    await until(async () => (await verdict(fleet, history)).findings.completed === tasks, 30_000);
    const { stored, figures, broken } = await verdict(fleet, history);
    const lost = wire?.lost ?? 0;
    const waitMs = spread(stored.flatMap(waitOf));
    const promises = unless({ 'pub/sub lost nothing': lost > 0 });
    return { waitMs, lost, figures: { ...figures, waitMs, lostMessages: lost }, broken: [...broken, ...promises] };
  } finally {
    await fleet.stop();
    wire?.close();
  }
}

/** From the acceptance of a task to the first event of its run. */
function waitOf(task: StoredTask): readonly number[] {
  const [beginning] = beginningsOf(task);
  const first = task.events[0]?.event;
  const accepted = first !== undefined && 'task' in first ? first.task.status.timestamp : undefined;
  return beginning === undefined || accepted === undefined ? [] : [beginning.at - Date.parse(accepted)];
}
