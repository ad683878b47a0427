import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { ServiceProcess } from '../../../scripts/support/service-process.mjs';
import { testRedisUrl } from '../../support/redis.js';
import { storedKeys } from '../../support/redis-keys.js';
import { aMessage, RpcClient } from '../../support/rpc-client.js';

const TIMEOUT_MS = 60_000;
let redis: Redis;
let service: ServiceProcess;

beforeEach(() => {
  redis = new Redis(testRedisUrl());
});

afterEach(async () => {
  await service.stop('SIGKILL');
  redis.disconnect();
});

describe('data of a newer release', () => {
  it(
    'makes a process of this release leave in order, and none starts on it; the data stays as it is',
    async () => {
      const keyPrefix = `test-${randomUUID()}`;
      const variables = { REDIS_URL: testRedisUrl(), KEY_PREFIX: keyPrefix };
      service = new ServiceProcess(variables);
      const client = new RpcClient(await service.ready());
      const { id } = await client.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
      expect(await redis.get(`${keyPrefix}:layout`)).toBe('1');

      await redis.set(`${keyPrefix}:layout`, '2');
      expect(await service.exited).toBe(0);
      expect(service.output.join('\n')).toContain('has layout 2, and this release reads up to 1');

      service = new ServiceProcess(variables);
      await expect(service.ready()).rejects.toThrow(/cannot start\. The data under KEY_PREFIX .* has layout 2/);
      expect(await redis.get(`${keyPrefix}:layout`)).toBe('2');
      const keys = await storedKeys(keyPrefix);
      expect(keys.some((key) => key.endsWith(`:task:${id}`))).toBe(true);
    },
    TIMEOUT_MS,
  );
});
