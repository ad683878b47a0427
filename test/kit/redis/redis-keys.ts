import { Redis } from 'ioredis';
import { presenceKey, schemaKey } from '../../../src/platform/redis/service.keys.js';
import { TaskKeys } from '../../../src/tasks/task.keys.js';
import { testRedisUrl } from './shared-redis.js';

/** The names of all keys of tasks under a prefix; the queue's and the processes' own keys come and go. */
export async function storedKeys(keyPrefix: string): Promise<readonly string[]> {
  const redis = new Redis(testRedisUrl());
  try {
    const keys = await redis.keys(`${keyPrefix}:*`);
    const ofProcesses = [presenceKey(keyPrefix), schemaKey(keyPrefix), new TaskKeys(keyPrefix).idleWorkers];
    return keys.filter((key) => !ofProcesses.includes(key)).sort();
  } finally {
    redis.disconnect();
  }
}
