import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { limitOptionsOf } from '../../../src/limits/limit.settings.js';
import { loadConfig } from '../../../src/main/app.environment.js';
import { quotaKeys } from '../../../src/limits/limit.keys.js';
import { QuotaStore, type QuotaState } from '../../../src/limits/quotas/quota.store.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const caller = { tenant: 'acme', client: 'a' };
const colleague = { tenant: 'acme', client: 'b' };
const stranger = { tenant: 'beta', client: 'a' };

describe(QuotaStore.name, () => {
  let clients: RedisClient[];
  let replicas: QuotaStore[];
  let keyPrefix: string;
  let state: Map<string, QuotaState>;
  const quotaStatesOf = async (ids: readonly string[]): Promise<readonly QuotaState[]> =>
    ids.map((id) => state.get(id) ?? 'missing');

  beforeAll(() => {
    clients = [0, 1, 2].map(() => connect(testRedisUrl(), 'command'));
  });

  beforeEach(() => {
    keyPrefix = `test-quota-${randomUUID()}`;
    const { limits } = loadConfig({
      QUOTA_LIVE_TASKS: '20',
      PARLEY_FILE: settingsFile({ limits: { waitingTasks: 30 } }),
    });
    const options = limitOptionsOf(limits, keyPrefix);
    replicas = clients.map((client) => new QuotaStore(client, options, { isShort: false, mostBytes: 0 }));
    state = new Map();
  });

  afterAll(() => {
    for (const client of clients) client.disconnect();
  });

  /** Begins so many tasks at once, by all replicas; gives those for which there was room. */
  async function begin(count: number, who = caller, as: QuotaState = 'queued'): Promise<readonly string[]> {
    const tries = Array.from({ length: count }, async (_unused, at) => {
      const id = randomUUID();
      state.set(id, as);
      return (await replicas[at % 3]?.reserve(who, id, quotaStatesOf)) === undefined ? [id] : [];
    });
    return (await Promise.all(tries)).flat();
  }

  it('gives away the last place once, however many replicas ask at the same time (A2A-SEC-05)', async () => {
    expect(await begin(100)).toHaveLength(20);
    expect(await replicas[0]?.reserve(caller, 'x', quotaStatesOf)).toEqual({
      subject: 'unfinished tasks',
      limit: 20,
      retryAfterSeconds: 5,
    });
  });

  it('counts waiting tasks of a tenant over its clients, and nobody else’s (A2A-TEN-04)', async () => {
    const tasks = [...(await begin(20)), ...(await begin(20, colleague))];
    expect(tasks).toHaveLength(30);
    expect(await replicas[1]?.reserve(colleague, 'x', quotaStatesOf)).toMatchObject({ subject: 'waiting tasks' });
    expect(await begin(5, stranger)).toHaveLength(5);
  });

  it('finds room again when tasks have begun or are over, although nobody gave it back', async () => {
    const first = await begin(20);
    for (const id of first.slice(0, 15)) state.set(id, 'over');
    await eventually(async () => {
      expect(await begin(1)).toHaveLength(1);
    });
    expect(await begin(30)).toHaveLength(14);
  });

  it('never refuses a client whose tasks are short', async () => {
    for (let round = 0; round < 30; round += 1) {
      const tasks = await begin(4);
      expect(tasks).toHaveLength(4);
      for (const id of tasks) state.set(id, 'over');
    }
  });

  it('keeps the place of a task that is not stored yet, and takes it back when it is given back', async () => {
    const tasks = await begin(20, caller, 'missing');
    expect(await begin(1)).toEqual([]);
    await replicas[2]?.release(caller, tasks[0] ?? '');
    expect(await begin(2)).toHaveLength(1);
  });

  it('forgets a place whose process died before it stored the task', async () => {
    await begin(20, caller, 'missing');
    const { live: key } = quotaKeys(keyPrefix, caller);
    for (const id of state.keys()) await clients[0]!.zadd(key, 'XX', 1, id);
    await eventually(async () => {
      expect(await begin(1)).toHaveLength(1);
    });
  });
});
