import type { RedisClient } from '../connection/redis-client.js';
import { REDIS_SCRIPTS } from '../redis.scripts.js';
import { schemaKey } from '../service.keys.js';

/** Version of the stored keys and fields that this code writes; raised with every change of them. */
export const SCHEMA = 3;
/**
 * The oldest code that can work with data of this code. Raised only by a change that older code would misread; older
 * code ignores unknown keys and fields. 3: the record of a task is packed, its events are fields of it, and other sets
 * lead to it. 2: addresses of webhooks are sealed; inbox, artifact names and passed states of a task are fields of its
 * hash.
 */
export const OLDEST = 3;

/** The oldest data that this code can use. */
const OLDEST_DATA = 3;

/** The schema record stored beside the data. */
export interface StoredSchema {
  /** Schema of the newest code that has written here; 0 when none has. */
  readonly number: number;
  /** Oldest schema whose code may write here. */
  readonly oldest: number;
}

/** Marks the data as written by this code, if that is allowed. */
export async function enterSchema(redis: RedisClient, keyPrefix: string): Promise<StoredSchema> {
  const args = { code: SCHEMA, oldestCode: OLDEST, oldestData: OLDEST_DATA };
  const [number, oldest] = (await REDIS_SCRIPTS.enter.run(redis, { schema: schemaKey(keyPrefix) }, args)) as [
    number,
    number,
  ];
  return { number, oldest };
}

export async function readSchema(redis: RedisClient, keyPrefix: string): Promise<StoredSchema> {
  const [number, oldest] = await redis.hmget(schemaKey(keyPrefix), 'number', 'oldest');
  return { number: Number(number ?? 0), oldest: Number(oldest ?? 0) };
}

/** The reason why this code must not write the data, with the fix; undefined if it may. */
export function tooOldFor({ number, oldest }: StoredSchema): string | undefined {
  if (number > 0 && number < OLDEST_DATA) {
    const found = `The stored data is of schema ${String(number)}, and this code works with ${String(OLDEST_DATA)} or newer`;
    return `${found} (give this version another KEY_PREFIX, or stop every older process and empty the old one)`;
  }
  if (oldest <= SCHEMA) return undefined;
  const newer = `The stored data is of schema ${String(number)}, which needs code of schema ${String(oldest)} or newer`;
  return `${newer}; this is ${String(SCHEMA)} (start the newer version, or give this one another KEY_PREFIX)`;
}
