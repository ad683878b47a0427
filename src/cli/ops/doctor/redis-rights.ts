import { queuePrefix } from '../../../platform/queue/wake-up-queue.js';
import type { RedisClient } from '../../../platform/redis/connection/redis-client.js';
import type { Finding } from '../../../main/finding.js';

/** The service's uses of Redis, by the ACL right needed. Each attempt leaves nothing behind. */
function triesOf(redis: RedisClient, prefix: string): Readonly<Record<string, () => Promise<unknown>>> {
  const write = (key: string) => () => redis.set(key, '', 'PX', 1);
  const [runs, webhooks] = [queuePrefix(prefix), queuePrefix(prefix, 'push')];
  return {
    [`keys ${prefix}:*`]: write(`${prefix}:doctor`),
    [`keys ${runs}*`]: write(`${runs}:doctor`),
    [`keys ${webhooks}*`]: write(`${webhooks}:doctor`),
    [`channels ${prefix}:*`]: () => redis.publish(`${prefix}:doctor`, ''),
    'scripts (EVAL, EVALSHA)': () => redis.eval('return 1', 1, `${prefix}:doctor`),
  };
}

/** Finds the rights that the user of REDIS_URL lacks (L4): without them work is found late, or not at all. */
export async function rightsFindings(redis: RedisClient, keyPrefix: string): Promise<readonly Finding[]> {
  const tries = Object.entries(triesOf(redis, keyPrefix));
  const settled = await Promise.allSettled(tries.map(([, attempt]) => attempt()));
  const missing = tries.flatMap(([right], at) => (isRefused(settled[at]) ? [right] : []));
  if (missing.length === 0) return [];
  const text = `The user of REDIS_URL has no right to ${missing.join(', ')}`;
  const fix = `Give it ~${keyPrefix}:* ~{${keyPrefix}-* &${keyPrefix}:* +@all -@admin -@dangerous +info (docs/operations.md)`;
  return [{ check: 'redis', severity: 'fail', text, fix }];
}

/** Other refusals are reported by the checks of Redis itself. */
function isRefused(result: PromiseSettledResult<unknown> | undefined): boolean {
  return result?.status === 'rejected' && String(result.reason).includes('NOPERM');
}
