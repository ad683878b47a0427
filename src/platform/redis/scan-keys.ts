import type { RedisClient } from './connection/redis-client.js';
import { primariesOf } from './connection/redis-nodes.js';

const AT_ONCE = 1000;

/** A piece of a key's name with glob characters escaped, for a pattern of `scanKeys`. */
export function literally(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&');
}

/**
 * The names of all keys that match a pattern, on every primary; some may repeat. Scans all keys, a thousand at a time:
 * for operators; does not block other clients.
 */
export async function* scanKeys(redis: RedisClient, pattern: string): AsyncGenerator<string, void, void> {
  for (const primary of await primariesOf(redis)) {
    let cursor = '0';
    do {
      const [next, keys] = await primary.scan(cursor, 'MATCH', pattern, 'COUNT', AT_ONCE);
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }
}
