import { describe, expect, it, jest } from '@jest/globals';
import { LargeMessages } from '../../../src/operations/send/large-messages.js';
import { StorageRoom } from '../../../src/operations/send/storage-room.js';
import { MemoryWatch } from '../../../src/platform/redis/health/memory-watch.js';
import type { Principal } from '../../../src/auth/principal.js';
import { QuotaStore } from '../../../src/limits/quotas/quota.store.js';
import { RateLimitedError } from '../../../src/limits/rates/rate-limited.error.js';
import { StoredBytes } from '../../../src/tasks/lists/stored-bytes.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { aMessage } from '../../kit/tasks/task-stores.js';

const CLIENT: Principal = { tenant: 'default', client: 'tests', scopes: 'all', method: 'api-key' };
const LOCAL: Principal = { ...CLIENT, method: 'local' };
const MIB = 1_048_576;
const LARGE = aMessage({ parts: [{ text: 'x'.repeat(60_000) }] });

describe(StorageRoom.name, () => {
  const stores = useTaskStores();

  function storeOf(bytesPerClient: number, bytesPerTenant: number, memory: MemoryWatch): QuotaStore {
    const { redis, options } = stores.now;
    const others = { liveTasksPerClient: 1, waitingTasksPerTenant: 1, streamsPerClient: 1, streamsPerTenant: 1 };
    const calls = { waitingCallsPerClient: 1, waitingCallsPerTenant: 1, streamsPerProcess: 1 };
    const quotas = { bytesPerClient, bytesPerTenant, ...others, ...calls };
    return new QuotaStore(redis, { keyPrefix: options.keyPrefix, quotas }, memory);
  }

  function roomOf(
    bytesPerClient: number,
    bytesPerTenant: number,
    memory = new MemoryWatch(stores.now.redis),
  ): StorageRoom {
    const { redis, options } = stores.now;
    return new StorageRoom(new StoredBytes(redis, options), storeOf(bytesPerClient, bytesPerTenant, memory));
  }

  it('asks for the sums of a client once for all calls that come meanwhile', async () => {
    const { redis } = stores.now;
    const room = roomOf(100 * MIB, 100 * MIB);
    const asked = jest.spyOn(redis, 'hmget');
    try {
      await Promise.all(Array.from({ length: 20 }, () => room.require(CLIENT, LARGE)));
      const shards = asked.mock.calls.length;
      expect(shards).toBeLessThanOrEqual(16);
      await room.require({ ...CLIENT, client: 'others' }, LARGE);
      expect(asked.mock.calls.length).toBe(shards * 2);
    } finally {
      asked.mockRestore();
    }
  });

  describe(LargeMessages.name, () => {
    const OTHER: Principal = { ...CLIENT, client: 'others' };
    const refusals: unknown[] = [];
    const limits = { countRefusal: (error: unknown): unknown => refusals.push(error) };

    it('lets one of a client begin at a time, and other clients meanwhile', async () => {
      const messages = new LargeMessages(roomOf(100 * MIB, 100 * MIB), limits);
      const first = await messages.enter(CLIENT, MIB);
      const second = messages.enter(CLIENT, MIB);
      await messages.enter(OTHER, MIB);
      expect(await Promise.race([second, Promise.resolve('waits')])).toBe('waits');
      first();
      first();
      const leaveSecond = await second;
      const third = messages.enter(CLIENT, MIB);
      expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits');
      leaveSecond();
      expect(await third).toBeInstanceOf(Function);
    });

    it('lets four of all clients begin at a time', async () => {
      const messages = new LargeMessages(roomOf(100 * MIB, 100 * MIB), limits);
      const clients = ['a', 'b', 'c', 'd', 'e'].map((client) => ({ ...CLIENT, client }));
      const turns = clients.map((client) => messages.enter(client, MIB));
      const [first] = await Promise.all(turns.slice(0, 4));
      expect(await Promise.race([turns[4], Promise.resolve('waits')])).toBe('waits');
      first?.();
      expect(await turns[4]).toBeInstanceOf(Function);
    });

    it('are refused where they would not be stored, or too many wait before them, and leave their place then', async () => {
      const small = new LargeMessages(roomOf(MIB, 100 * MIB), limits);
      expect(await small.requireRoom(CLIENT, 2 * MIB)).toBe('perhaps-repeated');
      await expect(small.requireRoom(CLIENT, 2 * MIB)).rejects.toThrow(RateLimitedError);
      await expect(small.enter(CLIENT, 2 * MIB)).rejects.toThrow(RateLimitedError);
      expect(await small.requireRoom(LOCAL, 2 * MIB)).toBe('fits');
      expect(await small.enter(CLIENT, 1_000)).toBeInstanceOf(Function);

      const messages = new LargeMessages(roomOf(100 * MIB, 100 * MIB), limits);
      const first = await messages.enter(CLIENT, MIB);
      const waiting = Array.from({ length: 8 }, () => messages.enter(CLIENT, MIB));
      await expect(messages.enter(CLIENT, MIB)).rejects.toMatchObject({ headers: { 'retry-after': '5' } });
      first();
      for (const turn of waiting) (await turn)();
      expect(refusals).toMatchObject([
        { quota: 'stored-bytes' },
        { quota: 'stored-bytes' },
        { quota: 'large-messages' },
      ]);
    });
  });

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

  it('leaves to each client a quarter of what Redis may hold at most, and half to its tenant', async () => {
    const { redis } = stores.now;
    const memory = new MemoryWatch(redis);
    await redis.config('SET', 'maxmemory', '400mb');
    await memory.check();
    await redis.config('SET', 'maxmemory', '0');
    const quotas = (bytes: number) => storeOf(bytes, bytes, memory).mostBytes;

    expect(quotas(1_000 * MIB)).toEqual({ client: 100 * MIB, tenant: 200 * MIB });
    expect(quotas(50 * MIB)).toEqual({ client: 50 * MIB, tenant: 50 * MIB });
    await memory.check();
    expect(quotas(1_000 * MIB)).toEqual({ client: 1_000 * MIB, tenant: 1_000 * MIB });
  });

  it('refuses new work of everybody while Redis is short of memory', async () => {
    const { redis } = stores.now;
    const memory = new MemoryWatch(redis);
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(Math.round(used * 1.05)));
    await memory.check();
    await redis.config('SET', 'maxmemory', '0');

    await expect(roomOf(1_000_000, 1_000_000, memory).require(LOCAL, LARGE)).rejects.toThrow('short of storage');
  });
});
