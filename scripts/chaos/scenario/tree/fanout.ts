import { Redis } from 'ioredis';
import { TaskKeys } from '../../../../src/tasks/task.keys.js';
import { spread } from '../../check/figures.js';
import { Fleet } from '../../fleet/fleet.js';
import { type Scenario, unless } from '../../scenario.js';
import { readStoredTasks } from '../../check/stored-tasks.js';
import { mostAtOnce, type TreePlan, treeFindings, treePromises, TreeWork } from '../../load/tree-work.js';

const LIMIT = 10;

/** Tasks with a hundred children each, of which ten may run at once; nothing is harmed. */
export const fanout: Scenario = {
  name: 'fanout',
  what: `tasks with many children, of which ${String(LIMIT)} may run at once: how many did, and how often their parent was woken`,
  tasks: { usual: 5, full: 20 },
  settings: { workers: 2, width: 100, 'pause-ms': 30, 'timeout-s': 300 },

  async run({ tasks, random, setting }) {
    const plan: TreePlan = {
      ...{ depth: 1, width: setting('width'), limit: LIMIT, steps: 1, pauseMs: setting('pause-ms'), asks: false },
    };
    const fleet = await Fleet.start({ size: { api: 1, worker: setting('workers'), dispatcher: 1 }, standby: {} });
    try {
      const work = new TreeWork(plan, () => fleet.apis, random);
      const began = Date.now();
      await work.run(tasks, setting('timeout-s') * 1_000);
      const seconds = Math.round((Date.now() - began) / 1_000);
      const findings = await treeFindings(fleet, work, plan);
      const most = await mostOf(fleet, work.roots);
      const runs = await runsOf(fleet, work.roots);
      return {
        figures: { ...findings, atOnce: spread(most), runsOfParent: spread(runs), seconds },
        summary: `${String(tasks)} tasks with ${String(setting('width'))} children: at most ${String(Math.max(...most))} of one task at once, ${String(Math.max(...runs))} runs of a parent at most, ${String(seconds)} s`,
        broken: unless({
          ...treePromises(fleet, findings),
          'more children ran at once than may': most.every((count) => count <= LIMIT),
          'a parent was woken more than once': runs.every((count) => count === 2),
        }),
        late: [],
      };
    } finally {
      await fleet.stop();
    }
  },
};

/** Children of each task that ran at once, at most. */
async function mostOf(fleet: Fleet, roots: readonly string[]): Promise<readonly number[]> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const byId = new Map(stored.map((task) => [task.id, task]));
  return withRedis(fleet, async (redis, keys) =>
    Promise.all(
      roots.map(async (root) => {
        const fields = await redis.hkeys(keys.children(root));
        return mostAtOnce(fields.flatMap((id) => byId.get(id) ?? []));
      }),
    ),
  );
}

/** Runs of each task: fields `R<fence>` of its record. */
function runsOf(fleet: Fleet, roots: readonly string[]): Promise<readonly number[]> {
  return withRedis(fleet, (redis, keys) =>
    Promise.all(
      roots.map(async (root) => (await redis.hkeys(keys.task(root))).filter((field) => /^R\d+$/.test(field)).length),
    ),
  );
}

async function withRedis<T>(
  { redis, keyPrefix }: Fleet,
  work: (redis: Redis, keys: TaskKeys) => Promise<T>,
): Promise<T> {
  const connection = new Redis(redis.url);
  try {
    return await work(connection, new TaskKeys(keyPrefix));
  } finally {
    connection.disconnect();
  }
}
