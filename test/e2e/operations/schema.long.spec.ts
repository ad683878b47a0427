import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../kit/app/service-process.mjs';
import { RedisWatch } from '../../../src/platform/redis/health/redis-watch.js';
import { schemaKey } from '../../../src/platform/redis/service.keys.js';
import { enterSchema, OLDEST, readSchema, SCHEMA } from '../../../src/platform/redis/health/stored-schema.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp } from '../../kit/app/running-app.js';

const NEWER = SCHEMA + 1;

describe('an older pod', () => {
  let redis: Redis;
  let keyPrefix: string;

  beforeAll(() => {
    redis = new Redis(testRedisUrl());
  });

  afterAll(() => {
    redis.disconnect();
  });

  async function stored(schema: { number: number; oldest: number }): Promise<void> {
    keyPrefix = `test-${randomUUID()}`;
    await redis.hset(schemaKey(keyPrefix), schema);
  }

  it('marks data that nobody has marked, and lowers no mark', async () => {
    await stored({ number: 0, oldest: 0 });
    expect(await enterSchema(redis, keyPrefix)).toEqual({ number: SCHEMA, oldest: OLDEST });
    await stored({ number: NEWER, oldest: SCHEMA });
    expect(await enterSchema(redis, keyPrefix)).toEqual({ number: NEWER, oldest: SCHEMA });
    await stored({ number: NEWER, oldest: NEWER });
    await enterSchema(redis, keyPrefix);
    expect(await readSchema(redis, keyPrefix)).toEqual({ number: NEWER, oldest: NEWER });
  });

  it('works with tasks that a newer one has written, and leaves what it does not know', async () => {
    await stored({ number: NEWER, oldest: SCHEMA });
    const service = await runApp({ KEY_PREFIX: keyPrefix });
    try {
      const client = new RpcClient(service.url);
      const first = await client.task('SendMessage', aMessage('2', { skillId: 'countdown' }));
      const [key = ''] = await redis.keys(`${keyPrefix}:*:task:${first.id}`);
      await redis.hset(key, 'of-the-future', '{}');
      await redis.hset(`${keyPrefix}:of-the-future`, 'a', '1');

      expect((await client.task('GetTask', { id: first.id })).status).toEqual(first.status);
      expect((await client.call('ListTasks', {})).result).toMatchObject({ totalSize: 1 });
      expect(await redis.hget(key, 'of-the-future')).toBe('{}');
    } finally {
      await service.close();
    }
  }, 30_000);

  it.each([1, 2])(
    'does not start on data of schema %i, and says what to do',
    async (number) => {
      await stored({ number, oldest: number });
      const process = new ServiceProcess({ REDIS_URL: testRedisUrl(), KEY_PREFIX: keyPrefix });
      expect(await process.exited).toBe(1);
      expect(process.output).toEqual([
        expect.stringContaining(
          `Parley cannot start. The stored data is of schema ${number}, and this code works with 3 or newer (give this version another KEY_PREFIX`,
        ),
      ]);
      expect(await readSchema(redis, keyPrefix)).toEqual({ number, oldest: number });
    },
    60_000,
  );

  it('takes no calls on data that it would get wrong, and does not start there', async () => {
    await stored({ number: NEWER, oldest: NEWER });
    const service = await runApp({ KEY_PREFIX: keyPrefix });
    await service.app.get(RedisWatch, { strict: false }).check();
    const ready = await fetch(`${service.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain(`needs code of schema ${NEWER}`);
    await service.close();

    const process = new ServiceProcess({ REDIS_URL: testRedisUrl(), KEY_PREFIX: keyPrefix });
    expect(await process.exited).toBe(1);
    expect(process.output).toEqual([expect.stringMatching(/^Parley cannot start\. The stored data is of schema/)]);
    expect(await redis.keys(`${keyPrefix}:*:task:*`)).toEqual([]);
  }, 60_000);
});
