import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { NotReplicated, Replicas } from '../../../src/platform/redis/replicas.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';

describe(Replicas.name, () => {
  let primary: RedisServer;
  let replica: RedisServer;
  let redis: RedisClient;
  let replicas: Replicas;

  const confirm = (key: string, seq: number): Promise<void> =>
    replicas.confirm('mark', { key, fields: ['seq'] }, ([stored]) => Number(stored ?? 0) >= seq);

  beforeAll(async () => {
    primary = await RedisServer.start({ config: { 'repl-diskless-sync-delay': '0' } });
    replica = await RedisServer.start({ config: { replicaof: `127.0.0.1 ${primary.port}` } });
    redis = connect(primary.url, 'command');
    replicas = new Replicas(connect(primary.url, 'command'), { replicas: 1, waitMs: 200 });
    await redis.hset('task', 'seq', 3);
    await eventually(() => confirm('task', 3), { timeoutMs: 20_000 });
  }, 60_000);

  afterAll(async () => {
    replicas.disconnect();
    redis.disconnect();
    await Promise.all([primary.stop(), replica.stop()]);
  });

  it('asks once for all who wait at the same time', async () => {
    await redis.config('RESETSTAT');
    await Promise.all(Array.from({ length: 200 }, () => confirm('task', 3)));
    expect(Number(/cmdstat_wait:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])).toBeLessThanOrEqual(2);
  });

  it('tells of a write that the primary of now has never seen', async () => {
    await expect(confirm('task', 4)).rejects.toThrow(NotReplicated);
    await expect(confirm('no-task', 1)).rejects.toThrow(NotReplicated);
  });

  it('gives up in time when no replica answers, and goes on when one does again', async () => {
    replica.signal('SIGSTOP');
    await redis.hset('task', 'seq', 5);
    await expect(confirm('task', 5)).rejects.toThrow(NotReplicated);
    replica.signal('SIGCONT');
    await eventually(() => confirm('task', 5));
  });

  it('asks nobody where no replica is waited for', async () => {
    await expect(
      Replicas.none().confirm('mark', { key: 'no-task', fields: ['seq'] }, () => false),
    ).resolves.toBeUndefined();
  });
});
