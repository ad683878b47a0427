import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { withDeadline } from './deadline.js';
import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

const SCRIPT = readFileSync(new URL('./scripts/gcra.lua', import.meta.url), 'utf8');
const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** A limit that answers late is worse than none: callers wait for it in every call. */
const DEADLINE_MS = 250;

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  constructor(private readonly redis: Redis | Cluster) {}

  /** Spends units of a bucket if there are enough. Rejects when Redis does not answer within 250 ms. */
  async spend(key: string, rate: Rate, cost: number): Promise<RateDecision> {
    const answer: unknown = await withDeadline(this.run(key, rate, cost), DEADLINE_MS);
    if (!isAnswer(answer)) throw new Error('gcra.lua gave an answer of another form');
    const [allowed, remaining, resetMicros, waitMicros] = answer;
    const resetSeconds = Math.ceil(resetMicros / 1e6);
    return { isAllowed: allowed === 1, rate, remaining, resetSeconds, retryAfterSeconds: Math.ceil(waitMicros / 1e6) };
  }

  private async run(key: string, rate: Rate, cost: number): Promise<unknown> {
    const interval = String(Math.round(millisecondsPerUnit(rate) * 1000));
    const values = [interval, String(rate.burst), String(cost)] as const;
    try {
      return await this.redis.evalsha(SHA, 1, key, ...values);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.redis.eval(SCRIPT, 1, key, ...values);
    }
  }
}

function isAnswer(value: unknown): value is [number, number, number, number] {
  return Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === 'number');
}
