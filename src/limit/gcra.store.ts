import type { RedisClient } from '../redis/redis-client.js';
import { RedisScript } from '../redis/redis-script.js';
import { withDeadline } from './deadline.js';
import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

const GCRA = new RedisScript(new URL('./scripts/gcra.lua', import.meta.url));

/** A limit that answers late is worse than none: callers wait for it in every call. */
const DEADLINE_MS = 250;

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  constructor(private readonly redis: RedisClient) {}

  /** Spends units of a bucket if there are enough. Rejects when Redis does not answer within 250 ms. */
  async spend(key: string, rate: Rate, cost: number): Promise<RateDecision> {
    const interval = Math.round(millisecondsPerUnit(rate) * 1000);
    const work = GCRA.run(this.redis, [key], [interval, rate.burst, cost]);
    const answer: unknown = await withDeadline(work, DEADLINE_MS);
    if (!isAnswer(answer)) throw new Error('gcra.lua gave an answer of another form');
    const [allowed, remaining, resetMicros, waitMicros] = answer;
    const resetSeconds = Math.ceil(resetMicros / 1e6);
    return { isAllowed: allowed === 1, rate, remaining, resetSeconds, retryAfterSeconds: Math.ceil(waitMicros / 1e6) };
  }
}

function isAnswer(value: unknown): value is [number, number, number, number] {
  return Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === 'number');
}
