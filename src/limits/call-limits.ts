import type { OperationName } from '@parley/protocol/model/operations.js';
import type { LimitOptions } from './limit-options.js';
import type { LimitMetrics } from './limit.metrics.js';
import { addressKey, callerKey, consoleKey, failureKey, ruleKey } from './limit.keys.js';
import { METHOD_COST } from './rates/method-cost.js';
import { rateLimitHeaders, type RateLimitHeaders } from './rates/rate-limit-headers.js';
import { rateExceeded, RateLimitedError } from './rates/rate-limited.error.js';
import { perMinute, type RateDecision } from './rates/rate.js';
import type { RateLimiter } from './rates/rate.limiter.js';

/** Requests of one person at the console: a page makes about ten when it opens, and few after that. */
const CONSOLE_RATE = perMinute('console', '600/200');

/** Enforces the rates of callers and addresses (A2A-SEC-05, A2A-SEC-09). */
export class CallLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly options: LimitOptions,
    private readonly metrics?: Pick<LimitMetrics, 'limitHit'>,
  ) {}

  /** Counts a call of an address before any other work. @throws RateLimitedError */
  async countAddress(address: string): Promise<void> {
    const { address: rate, keyPrefix } = this.options;
    if (rate === undefined) return;
    const decision = await this.limiter.spend(addressKey(keyPrefix, address), rate, 1, 'share');
    this.assertAllowed(decision, 'address');
  }

  /**
   * Counts a refused credential. Callers with valid credentials are not affected by others at the same address: only
   * failures beyond the rate are answered with the limit. @throws RateLimitedError
   */
  async countFailure(address: string): Promise<void> {
    const { failure, keyPrefix } = this.options;
    const decision = await this.limiter.spend(failureKey(keyPrefix, address), failure, 1, 'share');
    this.assertAllowed(decision, 'failure');
  }

  /** Counts a call of a known caller at its cost; returns the headers for the answer. @throws RateLimitedError */
  async countCall(caller: { tenant: string; client: string }, operation: OperationName): Promise<RateLimitHeaders> {
    const { class: methodClass, cost } = METHOD_COST[operation];
    const key = callerKey(this.options.keyPrefix, caller, methodClass);
    const outage = methodClass === 'read' ? 'open' : 'share';
    const decision = await this.limiter.spend(key, this.options[methodClass], cost, outage);
    this.assertAllowed(decision, methodClass);
    return rateLimitHeaders(decision);
  }

  /** Counts the bytes of a large answer, one unit per MiB, in addition to the call itself. @throws RateLimitedError */
  async countBytes(caller: { tenant: string; client: string }, bytes: number): Promise<void> {
    const { read } = this.options;
    const cost = Math.min(read.burst, Math.floor(bytes / 1_048_576));
    if (cost === 0) return;
    const key = callerKey(this.options.keyPrefix, caller, 'read');
    this.assertAllowed(await this.limiter.spend(key, read, cost, 'open'), 'read');
  }

  /** Counts a request of the console, separately from the rates of the protocol. @throws RateLimitedError */
  async countConsole(
    caller: { tenant: string; client: string; subject?: string },
    cost: number,
  ): Promise<RateLimitHeaders> {
    const decision = await this.limiter.spend(consoleKey(this.options.keyPrefix, caller), CONSOLE_RATE, cost, 'share');
    this.assertAllowed(decision, 'console');
    return rateLimitHeaders(decision);
  }

  /** Counts a call of a caller by a rule of the policy. @throws RateLimitedError */
  async countRule(caller: { tenant: string; client: string }, rule: string, rate: string): Promise<void> {
    const key = ruleKey(this.options.keyPrefix, caller, rule);
    this.assertAllowed(await this.limiter.spend(key, perMinute('policy', rate), 1, 'share'), 'policy');
  }

  /** Counts the refusal of a permitted call by a quota. Refusals by a rate are counted in this class already. */
  countRefusal(error: unknown): void {
    if (error instanceof RateLimitedError && error.quota !== undefined) this.metrics?.limitHit(error.quota);
  }

  private assertAllowed(decision: RateDecision, limit: string): void {
    if (decision.isAllowed) return;
    this.metrics?.limitHit(limit);
    throw rateExceeded(decision);
  }
}
