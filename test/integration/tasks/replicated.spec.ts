import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../../src/platform/redis/connection/redis-client.js';
import { NotReplicated, Replicas } from '../../../src/platform/redis/replicas.js';
import { ConfigStore } from '../../../src/webhooks/config/config.store.js';
import type { PushRecord } from '../../../src/webhooks/config/push-record.js';
import { PUSH_DEFAULTS, type PushOptions } from '../../../src/webhooks/push.options.js';
import { RedisClock } from '../../../src/platform/redis/redis-clock.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { ServedPosition } from '../../../src/tasks/store/served-position.js';
import { TaskStore } from '../../../src/tasks/store/task.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisServer } from '../../kit/redis/redis-server.js';
import { anAnswer, OWNER, TaskStores } from '../../kit/tasks/task-stores.js';

const REPLICA = { 'repl-diskless-sync-delay': '0' };
const WAITED = { replicas: 1, waitMs: 2_000 };

/**
 * A failover between a script and the question whether replicas have what it wrote: the script ran on the primary of
 * before, and the primary of now, which has a replica of its own, never got the write.
 */
describe('a change that a failover has lost (M11)', () => {
  let before: RedisServer;
  let now: RedisServer;
  let behind: RedisServer;
  let stores: TaskStores;
  let tasks: TaskStore;
  let configs: ConfigStore;
  let replicas: Replicas;
  let run: ClaimedRun;

  beforeAll(async () => {
    before = await RedisServer.start({ config: REPLICA });
    now = await RedisServer.start({ config: { ...REPLICA, replicaof: `127.0.0.1 ${String(before.port)}` } });
    behind = await RedisServer.start({ config: { ...REPLICA, replicaof: `127.0.0.1 ${String(now.port)}` } });
    stores = TaskStores.connect(before.url);
    const { redis, options } = stores;
    const promoted = connect(now.url, 'command');
    replicas = new Replicas(promoted, WAITED);
    tasks = new TaskStore(redis, options, replicas, new ServedPosition(), new RedisClock());
    const push: PushOptions = {
      ...{ ...PUSH_DEFAULTS, keyPrefix: options.keyPrefix, issuer: 'https://agent.example.com', drainMs: 0 },
      masterKeys: [{ id: 'm1', secret: 'master' }],
    };
    configs = new ConfigStore(redis, push, replicas);
    run = await stores.running();
    const word = (): Promise<string | null> => promoted.hget(stores.keys.task(run.taskId), 's');
    const latest = await redis.hget(stores.keys.task(run.taskId), 's');
    await eventually(async () => expect(await word()).toBe(latest), { timeoutMs: 20_000 });
    await promoted.replicaof('NO', 'ONE');
    await eventually(async () => expect(await promoted.wait(1, 100)).toBe(1), { timeoutMs: 20_000 });
  }, 60_000);

  afterAll(async () => {
    replicas.disconnect();
    stores.redis.disconnect();
    await Promise.all([before, now, behind].map((server) => server.stop()));
  });

  it('is noticed where it changes nothing that the log shows: a message for the next turn', async () => {
    const message = anAnswer(run.taskId, { messageId: 'queued' });
    await expect(tasks.resume(OWNER, message, 'h')).rejects.toThrow(NotReplicated);
    // The caller sends it again, and the old primary still answers: that it knows the message is no promise either.
    await expect(tasks.resume(OWNER, message, 'h')).rejects.toThrow(NotReplicated);
  });

  it('is noticed of a cancel that a run has yet to heed, and of the same cancel again', async () => {
    await expect(tasks.cancel(OWNER, run.taskId)).rejects.toThrow(NotReplicated);
    await expect(tasks.cancel(OWNER, run.taskId)).rejects.toThrow(NotReplicated);
  });

  it('is noticed of a webhook', async () => {
    const record = { id: 'late', taskId: run.taskId } as unknown as PushRecord;
    await expect(configs.register(OWNER, record)).rejects.toThrow(NotReplicated);
  });

  it('is not suspected where the primary of now has the task as it is', async () => {
    const { seq } = await stores.word(run.taskId);
    await expect(tasks.confirm(run.taskId, { seq })).resolves.toBeUndefined();
  });
});
