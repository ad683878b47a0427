import type { RedisClient } from '../../platform/redis/redis-client.js';
import { RedisScript } from '../../platform/redis/redis-script.js';
import { withDeadline } from '../../platform/redis/deadline.js';
import type { Rate, RateDecision } from './rate.js';
import { microsPerUnit, type Paid, RateAccount } from './rate-account.js';

const GCRA = new RedisScript(new URL('./lua/gcra.lua', import.meta.url));

/** A limit that answers late is worse than none: callers wait for it in every call. */
const DEADLINE_MS = 250;
/** Accounts that are kept, the oldest of which is dropped first: its prepaid calls are lost, and nothing else. */
const MOST_ACCOUNTS = 10_000;

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  private readonly accounts = new Map<string, RateAccount>();

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
    const name = `${String(cost)} ${key}`;
    const known = this.accounts.get(name);
    return (known?.isOf(rate) === true ? known : this.open(name, key, rate, cost)).spend();
  }

  private open(name: string, key: string, rate: Rate, cost: number): RateAccount {
    const [oldest] = this.accounts.keys();
    if (this.accounts.size >= MOST_ACCOUNTS && oldest !== undefined) this.accounts.delete(oldest);
    const account = new RateAccount(rate, cost, (...asked) => this.pay(key, rate, [cost, ...asked]), this.now);
    this.accounts.set(name, account);
    return account;
  }

  private async pay(
    key: string,
    rate: Rate,
    asked: readonly [cost: number, calls: number, ahead: number],
  ): Promise<Paid> {
    const work = GCRA.run(this.redis, [key], [microsPerUnit(rate), rate.burst, ...asked]);
    const answer: unknown = await withDeadline(work, DEADLINE_MS);
    if (!isPaid(answer)) throw new Error('gcra.lua gave an answer of another form');
    return answer;
  }
}

function isPaid(value: unknown): value is Paid {
  return Array.isArray(value) && value.length === 5 && value.every((item) => typeof item === 'number');
}
