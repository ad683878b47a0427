import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { JobQueue } from '../../../src/platform/queue/job-queue.js';
import { ProgressWatchdog } from '../../../src/platform/queue/progress-watchdog.js';
import { QueueWorkers } from '../../../src/platform/queue/queue-workers.js';
import { eventually } from '../../kit/eventually.js';
import { RedisServer } from '../../kit/redis-server.js';

class Jobs extends JobQueue<{ readonly at: number }> {
  constructor(queue: Queue<{ readonly at: number }>) {
    super(queue, 'job');
  }

  async add(...ids: string[]): Promise<void> {
    await this.addJobs(ids.map((id, at) => ({ id, data: { at } })));
  }
}

class Watchdog extends ProgressWatchdog {
  constructor(workers: QueueWorkers, queue: Jobs, giveUp: () => void) {
    super({ name: 'jobs', workers, queue, everyMs: 10, giveUp });
  }
}

Logger.overrideLogger(false);

describe(ProgressWatchdog.name, () => {
  let redis: RedisServer;
  let bull: Queue<{ readonly at: number }>;
  let jobs: Jobs;
  let workers: QueueWorkers;
  let watchdog: Watchdog;
  let given: number;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  beforeEach(() => {
    given = 0;
    const { hostname: host, port } = new URL(redis.url);
    bull = new Queue(`jobs-${randomUUID()}`, { connection: { host, port: Number(port) } });
    jobs = new Jobs(bull);
    workers = new QueueWorkers(2);
    watchdog = new Watchdog(workers, jobs, () => (given += 1));
    watchdog.onApplicationBootstrap();
  });

  afterEach(async () => {
    watchdog.onApplicationShutdown();
    await bull.close();
  });

  afterAll(() => redis.stop());

  it('gives up, once, when jobs wait, slots are free and nothing is fetched', async () => {
    expect(watchdog.isStuck).toBe(false);
    await jobs.add('one', 'two');
    await eventually(() => expect(watchdog.isStuck).toBe(true));
    await eventually(() => expect(given).toBe(1));
    await new Promise(setImmediate);
    expect(given).toBe(1);
  });

  it('sees progress in a job that is fetched and given back', async () => {
    const fetching = setInterval(() => void workers.during(() => Promise.resolve()), 1);
    await jobs.add('one');
    const looked = await jobs.counts();
    for (let look = 0; look < 50; look += 1) await jobs.waiting();
    clearInterval(fetching);
    expect(looked).toEqual({ waiting: 1, active: 0, delayed: 0 });
    expect(watchdog.isStuck).toBe(false);
  });

  it('waits as long as every slot is taken', async () => {
    await jobs.add('one');
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const working = [workers.during(() => held), workers.during(() => held)];
    for (let look = 0; look < 100; look += 1) await jobs.waiting();
    expect(watchdog.running).toBe(2);
    expect(given).toBe(0);
    end();
    await Promise.all(working);
    await eventually(() => expect(given).toBe(1));
  });
});
