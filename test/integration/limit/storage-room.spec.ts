import { describe, expect, it, jest } from '@jest/globals';
import { StorageRoom } from '../../../src/operation/send/storage-room.js';
import { MemoryWatch } from '../../../src/platform/redis/memory-watch.js';
import type { Principal } from '../../../src/security/auth/principal.js';
import { QuotaStore } from '../../../src/security/limit/quota.store.js';
import { RateLimitedError } from '../../../src/security/limit/rate-limited.error.js';
import { StoredBytes } from '../../../src/task/stored-bytes.js';
import { useTaskStores } from '../../kit/store-suite.js';
import { aMessage } from '../../kit/task-stores.js';

const CLIENT: Principal = { tenant: 'default', client: 'tests', scopes: 'all', method: 'api-key' };
const LOCAL: Principal = { ...CLIENT, method: 'local' };
const LARGE = aMessage({ parts: [{ text: 'x'.repeat(60_000) }] });

describe(StorageRoom.name, () => {
  const stores = useTaskStores();

  function roomOf(
    bytesPerClient: number,
    bytesPerTenant: number,
    memory = new MemoryWatch(stores.now.redis),
  ): StorageRoom {
    const { redis, options } = stores.now;
    const others = { liveTasksPerClient: 1, waitingTasksPerTenant: 1, streamsPerClient: 1, streamsPerTenant: 1 };
    const calls = { waitingCallsPerClient: 1, waitingCallsPerTenant: 1, streamsPerProcess: 1 };
    const quotas = { bytesPerClient, bytesPerTenant, ...others, ...calls };
    const store = new QuotaStore(redis, { keyPrefix: options.keyPrefix, quotas }, memory);
    return new StorageRoom(new StoredBytes(redis, options), store);
  }

  it('refuses what exceeds the stored bytes of a client or of its tenant, with a time to come back (C3)', async () => {
    await stores.now.submitted({ isCounted: true, message: LARGE });

    await expect(roomOf(200_000, 200_000).require(CLIENT, LARGE)).resolves.toBeUndefined();
    await expect(roomOf(100_000, 200_000).require(CLIENT, LARGE)).rejects.toThrow(RateLimitedError);
    await expect(roomOf(200_000, 100_000).require(CLIENT, LARGE)).rejects.toMatchObject({
      headers: { 'retry-after': '60' },
    });
    await expect(roomOf(1, 1).require(LOCAL, LARGE)).resolves.toBeUndefined();
  });

  it('counts bytes and not characters, and writes no JSON to do so', async () => {
    const large = aMessage({ parts: [{ text: '😀'.repeat(10_000) }] });
    const stringify = jest.spyOn(JSON, 'stringify');

    await expect(roomOf(30_000, 30_000).require(CLIENT, large)).rejects.toThrow(RateLimitedError);
    await expect(roomOf(50_000, 50_000).require(CLIENT, large)).resolves.toBeUndefined();
    expect(stringify).not.toHaveBeenCalled();
    stringify.mockRestore();
  });

  it('refuses new work of everybody while Redis is short of memory', async () => {
    const { redis } = stores.now;
    const memory = new MemoryWatch(redis);
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(Math.round(used * 1.05)));
    await memory.look();
    await redis.config('SET', 'maxmemory', '0');

    await expect(roomOf(1_000_000, 1_000_000, memory).require(LOCAL, LARGE)).rejects.toThrow('short of storage');
  });
});
