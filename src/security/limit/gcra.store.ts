import type { RedisClient } from '../../platform/redis/redis-client.js';
import { withDeadline } from '../../platform/redis/deadline.js';
import { LIMIT_SCRIPTS } from './limit.scripts.js';
import type { Rate, RateDecision } from './rate.js';
import { microsPerUnit, type Paid, RateAccount } from './rate-account.js';

/** A limit that answers late is worse than none: callers wait for it in every call. */
const DEADLINE_MS = 250;
/** Buckets whose accounts are kept, the oldest of which is dropped first: its prepaid calls are lost, and nothing else. */
const MOST_BUCKETS = 10_000;

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  /** By the key of the bucket, then by cost. */
  private readonly accounts = new Map<string, Map<number, RateAccount>>();

  /** @param now ms of a clock that never goes back */
  constructor(
    private readonly redis: RedisClient,
    private readonly now: () => number,
  ) {}

  /**
   * Spends units of a bucket if there are enough: at once where they are prepaid. Rejects when Redis does not answer within
   * 250 ms.
   */
  spend(key: string, rate: Rate, cost: number): RateDecision | Promise<RateDecision> {
    const accounts = this.accounts.get(key) ?? this.open(key);
    const known = accounts.get(cost);
    if (known?.isOf(rate) === true) return known.spend();
    const account = new RateAccount(rate, cost, (...asked) => this.pay(key, rate, asked, cost), this.now);
    accounts.set(cost, account);
    return account.spend();
  }

  private open(key: string): Map<number, RateAccount> {
    const [oldest] = this.accounts.keys();
    if (this.accounts.size >= MOST_BUCKETS && oldest !== undefined) this.accounts.delete(oldest);
    const accounts = new Map<number, RateAccount>();
    this.accounts.set(key, accounts);
    return accounts;
  }

  private async pay(
    key: string,
    rate: Rate,
    [calls, maxAhead]: readonly [calls: number, maxAhead: number],
    cost: number,
  ): Promise<Paid> {
    const args = { interval: microsPerUnit(rate), burst: rate.burst, cost, calls, maxAhead };
    const work = LIMIT_SCRIPTS.gcra.run(this.redis, { bucket: key }, args);
    const answer: unknown = await withDeadline(work, DEADLINE_MS);
    if (!isPaid(answer)) throw new Error('gcra.lua gave an answer of another form');
    return answer;
  }
}

function isPaid(value: unknown): value is Paid {
  return Array.isArray(value) && value.length === 5 && value.every((item) => typeof item === 'number');
}
