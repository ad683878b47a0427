import type { GcraStore } from './gcra.store.js';
import type { LocalBuckets } from './local-buckets.js';
import type { Rate, RateDecision } from './rate.js';

/** The limit while Redis is unreachable: a share of the rate in this process, or none. */
export type Outage = 'share' | 'open';

export interface RateLimiterOptions {
  /** Replicas that share a rate; each enforces its part while Redis is unreachable. */
  readonly replicas: number;
  /** Called once when Redis becomes unreachable. */
  readonly onOutage: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Pause after a timeout of Redis, so that not every call waits for the deadline. */
const REST_MS = 1_000;

/** Rate limits across replicas; while Redis is unreachable, limits of this process. Never rejects. */
export class RateLimiter {
  private restUntil = 0;
  private isOut = false;

  constructor(
    private readonly store: GcraStore,
    private readonly local: LocalBuckets,
    private readonly options: RateLimiterOptions,
  ) {}

  /** Spends units of a bucket if there are enough. */
  async spend(key: string, rate: Rate, cost: number, outage: Outage): Promise<RateDecision> {
    if (this.options.now() < this.restUntil) return this.spendAlone(key, rate, cost, outage);
    try {
      const decision = await this.store.spend(key, rate, cost);
      this.isOut = false;
      return decision;
    } catch (error) {
      this.restUntil = this.options.now() + REST_MS;
      if (!this.isOut) this.options.onOutage(error);
      this.isOut = true;
      return this.spendAlone(key, rate, cost, outage);
    }
  }

  private spendAlone(key: string, rate: Rate, cost: number, outage: Outage): RateDecision {
    if (outage === 'open')
      return { isAllowed: true, rate, remaining: rate.burst, resetSeconds: 0, retryAfterSeconds: 0 };
    const { replicas } = this.options;
    const share = { ...rate, limit: rate.limit / replicas, burst: Math.max(cost, Math.floor(rate.burst / replicas)) };
    return { ...this.local.spend(key, share, cost), rate };
  }
}
