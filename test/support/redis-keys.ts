import { Redis } from 'ioredis';
import { testRedisUrl } from './redis.js';

/** The names of all keys of tasks under a prefix; the queue's own keys come and go. */
export async function storedKeys(keyPrefix: string): Promise<readonly string[]> {
  const redis = new Redis(testRedisUrl());
  try {
    return (await redis.keys(`${keyPrefix}:*`)).sort();
  } finally {
    redis.disconnect();
  }
}
