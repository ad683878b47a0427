import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { EndpointBreaker, type EndpointSign } from '../../platform/breaker/endpoint-breaker.js';
import { HeldAttempts } from '../../platform/breaker/held-attempts.js';
import type { RedisClient } from '../../platform/redis/connection/redis-client.js';
import { redisNow } from '../../platform/redis/redis-clock.js';
import type { LineKeys } from './line.keys.js';
import { LINE_SCRIPTS } from './line.scripts.js';

/** A call that wants to pass to the account of a provider. */
export interface LineCall {
  readonly account: string;
  /** The call; the same each time that it asks. */
  readonly ticket: string;
  readonly tenant: string;
  /** Its tenant's share of the account. */
  readonly weight: number;
  /** Calls under way, and a minute. */
  readonly limits?: { readonly atOnce?: number; readonly requests?: number } | undefined;
}

/** How a call has ended. */
export interface CallEnd {
  readonly sign: EndpointSign;
  readonly ms: number;
  /** The account has no capacity for this time: the call keeps its place, but for one turn. */
  readonly laterMs?: number;
}

export type Entry =
  | { readonly kind: 'in'; readonly leave: (end: CallEnd) => Promise<void> }
  | { readonly kind: 'later'; readonly waitMs: number; readonly ahead: number };

const RULES = {
  breaker: {
    failures: 5,
    sample: 20,
    pauseMs: 5_000,
    longestPauseMs: 120_000,
    // Never disabled: the operator has listed the account.
    disableAfterMs: Number.MAX_SAFE_INTEGER,
    disableAfterFailures: 0,
  },
  slots: { first: 1, most: Number.MAX_SAFE_INTEGER, group: Number.MAX_SAFE_INTEGER },
  lostMs: 15_000,
} as const;

/** Calls under way of an account without a limit. */
const MAX_AT_ONCE = 10_000;
/** A ticket is kept this long beyond its time: its task may have to wait for a slot. */
const GRACE_MS = 30_000;
/** A waiting call asks again after this at the latest, beyond the pause of its account. */
const MAX_WAIT_MS = 60_000;
const MAX_TICKETS = 100_000;
const MINUTE_MS = 60_000;
/** Requests without an interval between them: those of a tenth of a minute. */
const BURST_PART = 10;
/** The longest pause that an account may ask for. */
const LONGEST_PAUSE_MS = 3_600_000;
const SPENT_TTL_MS = 2 * 86_400_000;
const DAY_MS = 86_400_000;

/** The lines of the accounts at providers, over all processes: fair between tenants, closed while an account has no capacity. */
export class ModelLines {
  private readonly log = new Logger(ModelLines.name);
  private readonly breaker: EndpointBreaker;
  private readonly held: HeldAttempts;

  /** @param clock its lead over the clock of Redis */
  constructor(
    private readonly redis: RedisClient,
    private readonly keys: LineKeys,
    private readonly clock: { readonly aheadMs: number } = { aheadMs: 0 },
  ) {
    this.breaker = new EndpointBreaker(redis, RULES, clock);
    this.held = new HeldAttempts(this.breaker, (error) => {
      this.log.warn({ event: 'model.slots-not-renewed', error: String(error) });
    });
  }

  /** Lets a call pass, or keeps its place in the line. Whoever was let in must leave. */
  async enter({ account, ticket, tenant, weight, limits = {} }: LineCall): Promise<Entry> {
    const keys = this.keys.account(account);
    const token = randomUUID();
    const { atOnce = MAX_AT_ONCE, requests } = limits;
    const reply = (await LINE_SCRIPTS.enter.run(this.redis, keys, {
      ...{ ticket, token, tenant, weight, atOnce, lostMs: RULES.lostMs },
      intervalMs: requests === undefined ? 0 : MINUTE_MS / requests,
      burst: requests === undefined ? 0 : Math.max(1, Math.floor(requests / BURST_PART)),
      ...{ graceMs: GRACE_MS, maxWaitMs: MAX_WAIT_MS, maxTickets: MAX_TICKETS, aheadMs: this.clock.aheadMs },
    })) as readonly ['OK', string] | readonly ['WAIT', number, number];
    if (reply[0] === 'WAIT') return { kind: 'later', waitMs: reply[1], ahead: reply[2] };
    const breakerKeys = { endpoint: keys.account, attempts: keys.attempts, groupAttempts: keys.attempts };
    this.held.hold(token, breakerKeys);
    const leave = async ({ laterMs, ...end }: CallEnd): Promise<void> => {
      this.held.release(token);
      const pause = laterMs === undefined ? undefined : Math.min(laterMs, LONGEST_PAUSE_MS);
      if (pause !== undefined) {
        // Behind one other call: a request that is too large for its account must not be each probe of it.
        await LINE_SCRIPTS.keep.run(this.redis, keys, {
          ...{ ticket, start: Number(reply[1]) + 0.5 / weight },
          ...{ keptMs: pause + MAX_WAIT_MS + GRACE_MS, aheadMs: this.clock.aheadMs },
        });
      }
      const report = { token, ...end, count: 1, ...(pause === undefined ? {} : { laterMs: Math.max(1, pause) }) };
      const change = await this.breaker.report(breakerKeys, account, report);
      if (change !== undefined) this.log.warn({ event: `model.account-${change}`, account });
    };
    return { kind: 'in', leave };
  }

  /** Gives the place of a call up: another model has answered. */
  async drop(account: string, ticket: string): Promise<void> {
    const { line, due } = this.keys.account(account);
    await this.redis.zrem(line, ticket);
    await this.redis.zrem(due, ticket);
  }

  /** Calls that wait for an account. */
  waiting(account: string): Promise<number> {
    return this.redis.zcard(this.keys.account(account).line);
  }

  /** Calls under way at an account. */
  underWay(account: string): Promise<number> {
    return this.redis.zcard(this.keys.account(account).attempts);
  }

  /** Whether an account is left alone: it has asked for a pause, or its calls keep failing. */
  async isClosed(account: string): Promise<boolean> {
    const until = await this.redis.hmget(this.keys.account(account).account, 'later', 'open');
    const now = await redisNow(this.redis);
    return until.some((time) => Number(time ?? 0) > now + this.clock.aheadMs);
  }

  /** Reserves money of a tenant's day for a model; undefined where the rest does not suffice. Resolves with the settlement. */
  async spend(budget: {
    readonly account: string;
    readonly tenant: string;
    readonly model: string;
    readonly micros: number;
    readonly maxMicros: number;
  }): Promise<((micros: number) => Promise<void>) | undefined> {
    const { account, tenant, model, maxMicros } = budget;
    const micros = Math.ceil(budget.micros);
    const spent = this.keys.spent(account, tenant, Math.floor(Date.now() / DAY_MS));
    const before = Number(
      await LINE_SCRIPTS.spend.run(this.redis, { spent }, { model, micros, maxMicros, ttlMs: SPENT_TTL_MS }),
    );
    if (before < 0) return undefined;
    return async (used) => {
      const now = await this.redis.hincrby(spent, model, Math.ceil(used) - micros);
      const isCrossed = before < 0.8 * maxMicros && now >= 0.8 * maxMicros;
      if (isCrossed) this.log.warn({ event: 'model.budget-nearly-spent', tenant, model });
    };
  }
}
