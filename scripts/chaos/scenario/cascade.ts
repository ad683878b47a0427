import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beginningsOf } from '../checker.js';
import { call, insist } from '../caller.js';
import { spread } from '../figures.js';
import { Fleet, until } from '../fleet.js';
import { type Scenario, unless } from '../scenario.js';
import { readStoredTasks, type StoredTask } from '../stored-tasks.js';

const LONG_MS = 600_000;

/** Trees whose children all run are canceled through another replica: when does the last of them stop? */
export const cascade: Scenario = {
  name: 'cascade',
  what: 'trees of running children are canceled at their root, through another replica',
  tasks: { usual: 5, full: 20 },
  settings: { workers: 2, children: 100 },

  async run({ tasks, setting, say }) {
    const fleet = await Fleet.start({
      size: { api: 2, worker: setting('workers'), dispatcher: 1 },
      standby: {},
      variables: { WORKER_CONCURRENCY: '100' },
    });
    try {
      const times: number[] = [];
      let after = 0;
      for (let tree = 0; tree < tasks; tree += 1) {
        const one = await cancelOne(fleet, setting('children'));
        times.push(one.lastMs);
        after += one.begunAfter;
        say(`tree ${String(tree + 1)}: the last child had stopped after ${String(one.lastMs)} ms`);
      }
      const ms = spread(times);
      return {
        figures: { lastMs: ms, begunAfterCancel: after },
        summary: `${String(tasks)} trees of ${String(setting('children'))} running children: all stopped after ${String(ms.p50)} ms (p50), ${String(ms.p95)} ms (p95), ${String(ms.max)} ms at most`,
        broken: unless({
          'a child was not canceled': times.every(Number.isFinite),
          'a child began after the cancel': after === 0,
          [`processes ended by themselves: ${fleet.surprises.join('; ')}`]: fleet.surprises.length === 0,
        }),
        late: unless({ 'a tree took more than 1 s to stop (p95)': ms.p95 <= 1_000 }),
      };
    } finally {
      await fleet.stop();
    }
  },
};

interface Canceled {
  /** From the call to the end of the last child, ms. */
  readonly lastMs: number;
  readonly begunAfter: number;
}

async function cancelOne(fleet: Fleet, children: number): Promise<Canceled> {
  const [one = '', other = ''] = fleet.apis;
  const data = { depth: 1, width: children, limit: children, steps: 1, pauseMs: LONG_MS, asks: false };
  const { result } = await insist(() => [one], 'SendMessage', {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }], metadata: { skillId: 'tree' } },
    configuration: { returnImmediately: true },
  });
  const root = result?.task?.id ?? '';
  const known = new Set((await readStoredTasks(fleet.redis.url, fleet.keyPrefix)).filter(isEnded).map(({ id }) => id));
  const ofTree = async (): Promise<readonly StoredTask[]> =>
    (await readStoredTasks(fleet.redis.url, fleet.keyPrefix)).filter(({ id }) => !known.has(id) && id !== root);
  await until(async () => (await ofTree()).filter((task) => beginningsOf(task).length > 0).length === children, 60_000);
  const canceledAt = Date.now();
  await call(other, 'CancelTask', { id: root }, 20_000);
  await until(async () => (await ofTree()).every(isEnded), 30_000);
  await pause(200);
  const stopped = await ofTree();
  const isCanceled = stopped.every(({ fields }) => fields.state === 'TASK_STATE_CANCELED');
  const ends = stopped.map(({ fields }) => Number(fields.ms));
  return {
    lastMs: isCanceled ? Math.max(0, Math.max(...ends) - canceledAt) : Infinity,
    begunAfter: stopped.flatMap(beginningsOf).filter(({ at }) => at > canceledAt + 1_000).length,
  };
}

function isEnded({ fields }: StoredTask): boolean {
  return ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED'].includes(fields.state ?? '');
}
