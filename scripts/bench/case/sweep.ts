import { randomBytes, randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { TaskStores } from '../../../test/kit/tasks/task-stores.js';
import { percentile } from '../../chaos/check/figures.js';
import type { BenchCase, Measure } from '../bench-case.js';
import type { Lab } from '../system/lab.js';
import { Rounds } from '../report/rounds.js';
import { ServerProcess } from '../system/server-process.js';
import { processorMsOf } from '../system/work.mjs';

const SIZES = {
  usual: { waiting: 100_000, over: 500_000, watchMs: 10_000, rescues: 30 },
  quick: { waiting: 2_000, over: 10_000, watchMs: 2_000, rescues: 5 },
};
const AT_ONCE = 250;
/** The lease of a run that is lost: over almost at once. */
const LEASE_MS = 50;
const POLL_MS = 5;

const what = 'the sweep of one dispatcher, and no worker';
const WAITING = 'Redis with 100,000 waiting runs beyond an empty one, % of a core';
const RESCUE = 'a lost run is in its queue again, beside 500,000 due removals: p95, ms';

/** Cost of waiting runs for the sweep, and whether removals delay a lost run. */
export const sweep: BenchCase = {
  name: 'sweep',
  what: '100,000 waiting runs without a worker, then lost runs while 500,000 ended tasks wait for their purge',
  goals: [
    { case: what, figure: WAITING, system: 'parley', atMost: 5 },
    // Two passes of the sweep.
    { case: what, figure: RESCUE, system: 'parley', atMost: 1_000 },
  ],
  onlyByName: true,

  async run(lab) {
    const size = SIZES[lab.effort.quick ? 'quick' : 'usual'];
    const rounds = new Rounds(what);
    const keyPrefix = `sweep-${randomUUID().slice(0, 8)}`;
    const stores = TaskStores.connect(lab.redis.url, { keyPrefix });
    const dispatcher = await startDispatcher(lab, keyPrefix);
    const add = (figure: string, value: number): void => {
      rounds.add(figure, 'parley', value);
      lab.say(`${figure}: ${value.toFixed(2)}`);
    };
    try {
      const idle = await coreOf(lab.redis.pid, size.watchMs);
      add('Redis with no task, % of a core', idle);
      await storeMany(size.waiting, () => stores.submitted());
      await pause(1_000);
      const dispatcherBefore = await processorMsOf(dispatcher.pid);
      add(WAITING, Math.max(0, (await coreOf(lab.redis.pid, size.watchMs)) - idle));
      add(
        'the dispatcher meanwhile, % of a core',
        (((await processorMsOf(dispatcher.pid)) - dispatcherBefore) / size.watchMs) * 100,
      );
      const alone = await rescues(stores, size.rescues);
      add('a lost run is in its queue again, nothing to remove: p95, ms', percentile(alone, 0.95));
      await dispatcher.stop();
      const over = stores.with({ rejectedTtlMs: 0 });
      await storeMany(size.over, () => over.create({ routing: { rejection: 'This task was made to be removed.' } }));
      const again = await startDispatcher(lab, keyPrefix);
      const beside = await rescues(stores, size.rescues);
      add(RESCUE, percentile(beside, 0.95));
      add('the same, longest, ms', percentile(beside, 1));
      add('removals that were still due then', await stillDue(stores));
      await again.stop();
      return rounds.measures satisfies readonly Measure[];
    } finally {
      await dispatcher.stop();
      stores.redis.disconnect();
    }
  },
};

function startDispatcher(lab: Lab, keyPrefix: string): Promise<ServerProcess> {
  return ServerProcess.start('../service.mjs', {
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', AUDIT_LOG: devNull, NODE_ENV: 'production' },
    ...{ REDIS_URL: lab.redis.url, KEY_PREFIX: keyPrefix, ROLE: 'dispatcher' },
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  });
}

async function storeMany(amount: number, store: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < amount; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, store));
}

async function coreOf(pid: number, ms: number): Promise<number> {
  const before = await processorMsOf(pid);
  await pause(ms);
  return (((await processorMsOf(pid)) - before) / ms) * 100;
}

/** From the end of a lost run's lease until the run waits in its queue, one after the other, ms. */
async function rescues(stores: TaskStores, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  const short = stores.with({ leaseMs: LEASE_MS });
  for (let done = 0; done < count; done += 1) {
    const { taskId } = await short.running();
    const dueAt = await stores.dueAt(taskId);
    while ((await stores.word(taskId)).nonce !== '') await pause(POLL_MS);
    times.push(Math.max(0, Date.now() - dueAt));
  }
  return times;
}

async function stillDue(stores: TaskStores): Promise<number> {
  const shards = Array.from({ length: 16 }, (_unused, shard) => stores.redis.zcard(stores.keys.over(shard)));
  return (await Promise.all(shards)).reduce((sum, size) => sum + size, 0);
}
