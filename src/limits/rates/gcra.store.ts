import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { withDeadline } from '../../platform/redis/connection/deadline.js';
import { LIMIT_SCRIPTS } from '../limit.scripts.js';
import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

/** Every call waits for the limit: a late answer is worse than none. */
const DEADLINE_MS = 250;

/** The reply of gcra.lua. */
type Spent = readonly [isAllowed: 0 | 1, unitsLeft: number, resetMicros: number, waitMicros: number];

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly deadlineMs = DEADLINE_MS,
  ) {}

  /** Spends units of a bucket if there are enough. Rejects when Redis does not answer in time. */
  async spend(key: string, rate: Rate, cost: number): Promise<RateDecision> {
    const interval = Math.max(1, Math.round(millisecondsPerUnit(rate) * 1000));
    const work = LIMIT_SCRIPTS.gcra.run(this.redis, { bucket: key }, { interval, burst: rate.burst, cost });
    const spent: unknown = await withDeadline(work, this.deadlineMs);
    if (!isSpent(spent)) throw new Error('gcra.lua gave an answer of another form');
    const [isAllowed, remaining, resetMicros, waitMicros] = spent;
    const resetSeconds = Math.ceil(resetMicros / 1e6);
    const retryAfterSeconds = isAllowed === 1 ? 0 : Math.ceil(waitMicros / 1e6);
    return { isAllowed: isAllowed === 1, rate, remaining, resetSeconds, retryAfterSeconds };
  }
}

function isSpent(value: unknown): value is Spent {
  return Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === 'number');
}
