import type { RedisClient } from './redis-client.js';
import { RedisScript } from './redis-script.js';
import { schemaKey } from './service.keys.js';

/** Version of the stored keys and fields that this code writes; raised with every change of them. */
export const SCHEMA = 2;
/**
 * The oldest schema number compatible with this code's writes. Raised only by a change that breaks older code; older code
 * ignores new keys and fields. 2: URLs of webhooks are encrypted; inbox, artifact names and passed states of a task are
 * fields of its hash.
 */
export const OLDEST = 2;

const ENTER = new RedisScript(new URL('lua/enter.lua', import.meta.url));

/** The schema record stored beside the data. */
export interface StoredSchema {
  /** Of the newest code that has written here; 0 when none has. */
  readonly number: number;
  /** Of the oldest code that may. */
  readonly oldest: number;
}

/** Marks the data as written by this code, where it may. */
export async function enterSchema(redis: RedisClient, keyPrefix: string): Promise<StoredSchema> {
  const [number, oldest] = (await ENTER.run(redis, [schemaKey(keyPrefix)], [SCHEMA, OLDEST])) as [number, number];
  return { number, oldest };
}

export async function readSchema(redis: RedisClient, keyPrefix: string): Promise<StoredSchema> {
  const [number, oldest] = await redis.hmget(schemaKey(keyPrefix), 'number', 'oldest');
  return { number: Number(number ?? 0), oldest: Number(oldest ?? 0) };
}

/** The reason why this code must not write the data, with the fix; undefined if it may write. */
export function tooOldFor({ number, oldest }: StoredSchema): string | undefined {
  if (oldest <= SCHEMA) return undefined;
  const stored = `The stored data is of schema ${String(number)}, which needs code of schema ${String(oldest)} or newer`;
  return `${stored}; this is ${String(SCHEMA)} (start the newer version, or give this one another KEY_PREFIX)`;
}
