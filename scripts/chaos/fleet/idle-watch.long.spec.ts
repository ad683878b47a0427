import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { eventually } from '../../../test/kit/run/eventually.js';
import { testRedisUrl } from '../../../test/kit/redis/shared-redis.js';
import { IdleWatch } from './idle-watch.js';

const SAYS_EVERY_MS = 300;

describe(IdleWatch.name, () => {
  const keyPrefix = `test-${randomUUID()}`;
  const keys = new TaskKeys(keyPrefix);
  let redis: Redis;
  let watch: IdleWatch;
  let says: NodeJS.Timeout;
  let faults: string[];

  beforeEach(() => {
    redis = new Redis(testRedisUrl());
    faults = [];
    watch = new IdleWatch(testRedisUrl(), keyPrefix, (fault) => faults.push(fault));
  });

  afterEach(async () => {
    clearInterval(says);
    watch.stop();
    await redis.del(keys.fairQueue(3), keys.idleWorkers);
    redis.disconnect();
  });

  /** A worker that finds nothing, again and again. Returns how often it has said so. */
  function idleWorker(): { times: number } {
    const said = { times: 0 };
    says = setInterval(() => {
      said.times += 1;
      void redis.zadd(keys.idleWorkers, Date.now(), 'blind');
    }, SAYS_EVERY_MS);
    return said;
  }

  it('reports a run that an idle worker does not see', async () => {
    await redis.zadd(keys.fairQueue(3), 0, 'unseen');
    idleWorker();
    await eventually(() =>
      expect(faults).toContainEqual(expect.stringMatching(/^the run of unseen waits for \d+ ms beside .* blind$/)),
    );
  });

  it('reports nothing where each run leaves soon', async () => {
    const said = idleWorker();
    for (let run = 0; said.times < 8; run += 1) {
      await redis.zadd(keys.fairQueue(3), 0, `run-${String(run)}`);
      const before = said.times;
      await eventually(() => expect(said.times).toBeGreaterThan(before + 1));
      await redis.zrem(keys.fairQueue(3), `run-${String(run)}`);
    }
    expect(faults).toEqual([]);
  });
});
