import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { queuePrefix } from '../../../src/platform/queue/wake-up-queue.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { SweepMetrics } from '../../../src/runs/sweep/sweep.metrics.js';
import { TreeSweep } from '../../../src/agents/tree-sweep.js';
import { Sweeper } from '../../../src/runs/sweep/sweeper.js';
import { Channels } from '../../../src/platform/redis/connection/channels.js';
import { ProcessIdentity } from '../../../src/platform/redis/process-identity.js';
import { IdleWorkers } from '../../../src/runs/queue/idle-workers.js';
import type { WakeUp } from '../../../src/platform/queue/wake-up-queue.js';
import { RUN_QUEUE, RunQueue } from '../../../src/runs/queue/run.queue.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { OWNER } from '../../kit/tasks/task-stores.js';
import { fanOutOf } from '../../kit/tasks/turn-sources.js';

// Its lines are read where a fact is about them.
Logger.overrideLogger(false);

describe(Sweeper.name, () => {
  const stores = useTaskStores({ cancelGraceMs: 0 });
  let bull: Queue<WakeUp>;
  let queue: RunQueue;
  let sweeper: Sweeper;

  beforeEach(() => {
    bull = new Queue(RUN_QUEUE, {
      connection: stores.now.redis,
      prefix: queuePrefix(stores.now.options.keyPrefix),
    });
    const { redis, options } = stores.now;
    const [identity, channels] = [new ProcessIdentity(), new Channels(redis)];
    queue = new RunQueue(bull, stores.now.queue, new IdleWorkers(redis, options, identity, channels));
    sweeper = new Sweeper(
      stores.now.sweeps,
      stores.now.contexts,
      queue,
      new SweepMetrics(new Metrics()),
      new TreeSweep(stores.now.canceler, stores.now.board, fanOutOf(stores.now)),
    );
  });

  afterEach(async () => {
    queue.onModuleDestroy();
    await bull.obliterate({ force: true });
  });

  it('puts a lost run back into the queue and wakes a worker', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    await sweeper.sweep();

    expect((await stores.now.queue.heads(10, 'all')).map(({ taskId }) => taskId)).toEqual([run.taskId]);
    await eventually(async () => expect(await queue.wakeUps()).toBe(1));
  });

  it('says at info that a run was lost, with its task and caller', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);
    const lines: unknown[] = [];
    const said = jest.spyOn(Logger.prototype, 'log').mockImplementation((line: unknown) => void lines.push(line));
    try {
      await sweeper.sweep();
    } finally {
      said.mockRestore();
    }
    const { taskId, fence } = run;
    const caller = { tenant: 'default', client: 'tests', caller: 'agent://tests' };
    expect(lines).toEqual([{ ...caller, event: 'run.lost', taskId, reason: 'its lease ended', fence: fence + 1 }]);
  });

  it('judges no lease until the workers had time to renew them, after Redis was away (I17)', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);
    const due = jest.spyOn(stores.now.sweeps, 'due').mockRejectedValue(new Error('Connection is closed.'));
    jest.spyOn(stores.now.sweeps, 'leaseMs', 'get').mockReturnValue(1_000);
    sweeper.onApplicationBootstrap();
    await eventually(() => expect(due).toHaveBeenCalled());
    due.mockRestore();
    await sweeper.sweep();
    expect(await stores.now.queue.waiting()).toBe(0);
    await eventually(async () => expect(await stores.now.queue.waiting()).toBe(1), { timeoutMs: 10_000 });
    sweeper.onModuleDestroy();
  });

  it('recovers a lost run although each of its passes is late (I1)', async () => {
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);
    jest.spyOn(stores.now.sweeps, 'leaseMs', 'get').mockReturnValue(20);
    const busy = setInterval(() => {
      const until = performance.now() + 60;
      while (performance.now() < until);
    }, 1);
    sweeper.onApplicationBootstrap();
    try {
      await eventually(async () => expect(await stores.now.queue.waiting()).toBe(1), { timeoutMs: 20_000 });
    } finally {
      clearInterval(busy);
      sweeper.onModuleDestroy();
    }
  });

  it.each(['removal', 'trees'] as const)(
    'recovers lost runs although its part %s fails each time (I1)',
    async (part) => {
      const fault = new Error('a fault');
      if (part === 'removal') jest.spyOn(stores.now.sweeps, 'over').mockRejectedValue(fault);
      else jest.spyOn(stores.now.canceler, 'due').mockRejectedValue(fault);
      jest.spyOn(stores.now.sweeps, 'leaseMs', 'get').mockReturnValue(5_000);
      sweeper.onApplicationBootstrap();
      try {
        const run = await stores.now.running();
        await stores.now.expireLease(run.taskId);
        await eventually(async () => expect(await stores.now.queue.waiting()).toBe(1), { timeoutMs: 3_000 });
      } finally {
        sweeper.onModuleDestroy();
      }
    },
  );

  it('wakes one worker for many lost runs, which wakes the next, and none for runs that wait', async () => {
    const runs = await Promise.all(Array.from({ length: 50 }, () => stores.now.running()));
    await Promise.all(Array.from({ length: 50 }, () => stores.now.submitted()));
    await sweeper.sweep();
    expect(await queue.counts()).toMatchObject({ waiting: 50, wakeups: 0 });

    await Promise.all(runs.map(({ taskId }) => stores.now.expireLease(taskId)));
    await sweeper.sweep();
    await sweeper.sweep();

    await eventually(async () => expect(await queue.counts()).toMatchObject({ waiting: 100, wakeups: 1 }));
  });

  it('ends what its worker did not end in time', async () => {
    const run = await stores.now.running();
    await stores.now.tasks.cancel(OWNER, run.taskId);
    await stores.now.redis.zadd(stores.now.keys.dueOf(run.taskId), 0, run.taskId);

    await sweeper.sweep();

    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('removes ended tasks in passes of their own, so that no number of them keeps a lost run waiting (H5)', async () => {
    const ended = await Promise.all(Array.from({ length: 150 }, () => stores.now.completed()));
    await Promise.all(ended.map(({ taskId }) => stores.now.expireTime(taskId)));
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    await sweeper.sweep();

    expect((await stores.now.queue.heads(10, 'all')).map(({ taskId }) => taskId)).toEqual([run.taskId]);
    expect(await stores.now.sweeps.over(1_000)).toHaveLength(150);
    await sweeper.purge();
    expect(await stores.now.sweeps.over(1_000)).toEqual([]);
  });

  it('does not let one task that cannot be read keep the others from their runs', async () => {
    const broken = '00000000-0000-4000-8000-000000000000';
    await stores.now.redis.set(stores.now.keys.task(broken), 'not a task');
    await stores.now.redis.zadd(stores.now.keys.dueOf(broken), 0, broken);
    const run = await stores.now.running();
    await stores.now.expireLease(run.taskId);

    await sweeper.sweep();

    expect((await stores.now.queue.heads(10, 'all')).map(({ taskId }) => taskId)).toEqual([run.taskId]);
    await stores.now.redis.del(stores.now.keys.task(broken));
    await stores.now.sweeps.evaluate(broken);
  });
});
