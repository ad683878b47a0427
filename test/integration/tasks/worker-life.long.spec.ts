import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { pingAll } from '../../../src/platform/redis/connection/redis-nodes.js';
import { livesWorker } from '../../../src/tasks/store/worker-life.js';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { RedisCluster } from '../../kit/redis/topology/redis-cluster.js';
import { eventually } from '../../kit/run/eventually.js';

describe(livesWorker.name, () => {
  let cluster: RedisCluster;
  let redis: RedisClient;
  let worker: Redis;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
    redis = connect(cluster.url, 'command').on('error', () => undefined);
    await eventually(() => pingAll(redis), { timeoutMs: 30_000 });
    worker = new Redis(cluster.primaries[1] ?? '');
    await worker.subscribe('worker');
  }, 60_000);
  afterAll(async () => {
    redis.disconnect();
    worker.disconnect();
    await cluster.stop();
  });

  it('tells which worker lives while a replica of a Cluster hangs, so that lost runs are recovered (I1)', async () => {
    const keys = new TaskKeys(cluster.keyPrefix);
    const asked = ['worker', 'gone'].map((channel) => livesWorker(redis, keys, { channel, taskId: 't' }));
    expect(await Promise.all(asked)).toEqual([true, false]);
    cluster.hangReplica();
    const again = ['worker', 'gone'].map((channel) => livesWorker(redis, keys, { channel, taskId: 't' }));
    expect(await Promise.all(again)).toEqual([true, false]);
  }, 60_000);
});
