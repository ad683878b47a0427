import type { RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { scanKeys } from '../../../src/platform/redis/scan-keys.js';

/** Everything that is in a Redis, as text: names and values of all keys, of whatever type. */
export async function redisContent(redis: RedisClient): Promise<string> {
  const lines: string[] = [];
  for await (const key of scanKeys(redis, '*')) lines.push(key, JSON.stringify(await valueOf(redis, key)));
  return lines.join('\n');
}

async function valueOf(redis: RedisClient, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return undefined;
    default:
      throw new Error(`${key} is a ${type}, which this test cannot read`);
  }
}
