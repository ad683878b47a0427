import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { ActiveWork } from '../../../src/platform/queue/active-work.js';
import { ProgressWatchdog } from '../../../src/platform/queue/progress-watchdog.js';
import { type WakeUp, WakeUpQueue } from '../../../src/platform/queue/wake-up-queue.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';

class WakeUps extends WakeUpQueue {
  constructor(queue: Queue<WakeUp>) {
    super(queue, 1);
  }

  async wake(): Promise<void> {
    this.addWakeUp();
    await eventually(async () => expect(await this.wakeUps()).toBe(1));
  }
}

class Watchdog extends ProgressWatchdog {
  constructor(workers: ActiveWork, queue: WakeUpQueue, giveUp: () => void) {
    super({ name: 'jobs', workers, queue: { waiting: () => queue.wakeUps() }, everyMs: 10, giveUp });
  }
}

Logger.overrideLogger(false);

describe(ProgressWatchdog.name, () => {
  let redis: RedisServer;
  let bull: Queue<WakeUp>;
  let queue: WakeUps;
  let workers: ActiveWork;
  let watchdog: Watchdog;
  let given: number;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  beforeEach(() => {
    given = 0;
    const { hostname: host, port } = new URL(redis.url);
    bull = new Queue(`jobs-${randomUUID()}`, { connection: { host, port: Number(port) } });
    queue = new WakeUps(bull);
    workers = new ActiveWork(2);
    watchdog = new Watchdog(workers, queue, () => (given += 1));
    watchdog.onApplicationBootstrap();
  });

  afterEach(async () => {
    watchdog.onApplicationShutdown();
    await bull.close();
  });

  afterAll(() => redis.stop());

  it('gives up, once, when jobs wait, slots are free and nothing is fetched', async () => {
    expect(watchdog.isStuck).toBe(false);
    await queue.wake();
    await eventually(() => expect(watchdog.isStuck).toBe(true));
    await eventually(() => expect(given).toBe(1));
    await new Promise(setImmediate);
    expect(given).toBe(1);
  });

  it('sees progress in a job that is fetched and given back', async () => {
    const fetching = setInterval(() => void workers.during(() => Promise.resolve()), 1);
    await queue.wake();
    for (let look = 0; look < 50; look += 1) await queue.wakeUps();
    clearInterval(fetching);
    expect(watchdog.isStuck).toBe(false);
  });

  it('waits as long as every slot is taken', async () => {
    await queue.wake();
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const working = [workers.during(() => held), workers.during(() => held)];
    for (let look = 0; look < 100; look += 1) await queue.wakeUps();
    expect(watchdog.running).toBe(2);
    expect(given).toBe(0);
    end();
    await Promise.all(working);
    await eventually(() => expect(given).toBe(1));
  });
});
