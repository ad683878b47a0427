import type { CommandRedis } from '../../platform/redis/connection/connections.js';

/** Entries of the index per step, and the maximum steps of one search: about 400,000 tasks. */
const SCANNED = 1_000;
const MAX_SCANS = 400;

/** Ids that begin with a text. */
interface FoundIds {
  readonly ids: readonly string[];
  /** Whether there may be more. */
  readonly isCut: boolean;
}

/** Scans sorted sets of ids in steps. @param prefix hexadecimal digits and hyphens */
export async function idsBeginningWith(
  redis: CommandRedis,
  keys: readonly string[],
  prefix: string,
  limit: number,
): Promise<FoundIds> {
  const found = new Set<string>();
  let scans = 0;
  for (const key of keys) {
    let cursor = '0';
    do {
      if (scans === MAX_SCANS || found.size > limit) return { ids: [...found].slice(0, limit), isCut: true };
      scans += 1;
      const [next, flat] = await redis.zscan(key, cursor, 'MATCH', `${prefix}*`, 'COUNT', SCANNED);
      for (let at = 0; at < flat.length; at += 2) found.add(flat[at] ?? '');
      cursor = next;
    } while (cursor !== '0');
  }
  return { ids: [...found].slice(0, limit), isCut: found.size > limit };
}
