import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { Sweeper } from '../../../src/run/sweep/sweeper.js';
import { RUN_QUEUE, type RunJob, RunQueue } from '../../../src/run/queue/run.queue.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { OWNER } from '../../kit/task-stores.js';

describe(Sweeper.name, () => {
  const stores = useTaskStores({ cancelGraceMs: 0 });
  let queue: Queue<RunJob>;
  let sweeper: Sweeper;
  beforeEach(() => {
    queue = new Queue(RUN_QUEUE, { connection: stores.now.redis, prefix: `{${stores.now.options.keyPrefix}-queue}` });
    sweeper = newSweeper();
  });
  afterEach(() => queue.obliterate({ force: true }));

  const newSweeper = (): Sweeper => new Sweeper(stores.now.sweeps, new RunQueue(queue), new Metrics(), stores.now.line);

  const jobs = async (): Promise<readonly RunJob[]> => (await queue.getJobs()).map(({ data }) => data);

  it('adds the job that nobody added, once', async () => {
    const { id, fence } = await stores.now.submitted();

    await sweeper.sweep();
    await sweeper.sweep();

    expect(await jobs()).toEqual([{ taskId: id, fence }]);
  });

  it('ends what its worker did not end in time', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, run.taskId);
    await stores.now.redis.zadd(stores.now.keys.dueOf(run.taskId), 0, run.taskId);

    await sweeper.sweep();

    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('brings back all tasks after the whole queue was lost', async () => {
    await Promise.all(Array.from({ length: 100 }, () => stores.now.submitted()));
    await sweeper.sweep();
    await queue.obliterate({ force: true });

    await newSweeper().sweep();

    expect(await jobs()).toHaveLength(100);
  });

  it('does not let one task that cannot be read keep the others from their runs', async () => {
    const broken = '00000000-0000-4000-8000-000000000000';
    await stores.now.redis.set(stores.now.keys.task(broken), 'not a task');
    await stores.now.redis.zadd(stores.now.keys.dueOf(broken), 0, broken);
    const { id, fence } = await stores.now.submitted();

    await sweeper.sweep();

    expect(await jobs()).toEqual([{ taskId: id, fence }]);
    await stores.now.redis.del(stores.now.keys.task(broken));
    await stores.now.sweeps.look(broken);
  });
});
