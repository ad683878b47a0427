import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

/** Maximum number of buckets; the least recently used one is removed first. */
const MAX_BUCKETS = 10_000;

/** The rates of this process alone, used while Redis is unreachable. The same algorithm as gcra.lua. */
export class LocalBuckets {
  private readonly fullAt = new Map<string, number>();

  /** @param now ms of a monotonic clock */
  constructor(private readonly now: () => number) {}

  /** Spends units of a bucket if there are enough. */
  spend(key: string, rate: Rate, cost: number): RateDecision {
    const now = this.now();
    const interval = millisecondsPerUnit(rate);
    const capacity = rate.burst * interval;
    const fullAt = Math.max(now, this.fullAt.get(key) ?? 0);
    const wait = fullAt + cost * interval - capacity - now;
    const isAllowed = wait <= 0;
    const after = isAllowed ? fullAt + cost * interval : fullAt;
    this.keep(key, after);
    return {
      isAllowed,
      rate,
      remaining: Math.max(0, Math.floor((now + capacity - after) / interval)),
      resetSeconds: Math.ceil((after - now) / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.ceil(wait / 1000),
    };
  }

  private keep(key: string, fullAt: number): void {
    this.fullAt.delete(key);
    const [oldest] = this.fullAt.keys();
    if (this.fullAt.size >= MAX_BUCKETS && oldest !== undefined) this.fullAt.delete(oldest);
    this.fullAt.set(key, fullAt);
  }
}
