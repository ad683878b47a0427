import type { RedisClient } from '../redis/connection/redis-client.js';
import { BREAKER_SCRIPTS } from './breaker.scripts.js';

/** When an endpoint is paused, and when it is disabled. */
export interface BreakerOptions {
  /** This many failures in a row open it. */
  readonly failures: number;
  /** At least this many attempts within a minute, half of them failed, open it too. */
  readonly sample: number;
  /** First pause; doubled each time the probe fails, up to the longest. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Only failures for this long disable the endpoint. */
  readonly disableAfterMs: number;
  /** This many failures in a row disable it too; 0 = never. */
  readonly disableAfterFailures: number;
}

/** Concurrent attempts. */
export interface BreakerSlots {
  /** For an endpoint that is new or failing; each consecutive success adds one. */
  readonly first: number;
  readonly most: number;
  /** For all endpoints of a group. */
  readonly group: number;
}

export interface BreakerRules {
  readonly breaker: BreakerOptions;
  readonly slots: BreakerSlots;
  /**
   * After this many ms an attempt that was neither reported nor held counts as crashed: longer than any attempt, or
   * than the interval of `hold`.
   */
  readonly lostMs: number;
}

/** The state of an endpoint, its attempts in progress, and those of its group: keys of one hash slot. */
export type EndpointKeys = Readonly<Record<'endpoint' | 'attempts' | 'groupAttempts', string>>;

export type Admission =
  | { readonly kind: 'admitted' }
  /**
   * `open`: the breaker is open. `later`: the endpoint asked for a pause. `busy`: too many attempts are in progress.
   */
  | { readonly kind: 'open' | 'later' | 'busy'; readonly waitMs: number }
  | { readonly kind: 'disabled'; readonly reason: string };

/**
 * The effect of an attempt on its endpoint. `refused`: the endpoint answered and rejects this request, which is no
 * fault of the endpoint. `none`: the endpoint was not reached or the attempt was aborted.
 */
export type EndpointSign = 'succeeded' | 'failed' | 'refused' | 'none';

const WAITS = { OPEN: 'open', LATER: 'later', BUSY: 'busy' } as const;
const CHANGES = ['opened', 'closed', 'disabled'] as const;

/** The change of an endpoint's state after an attempt. */
export type EndpointChange = (typeof CHANGES)[number] | undefined;

/** The attempts made in a slot, which the report releases. */
export interface AttemptReport {
  /** Token of the slot. */
  readonly token: string;
  readonly sign: EndpointSign;
  /** Duration of the latest attempt. */
  readonly ms: number;
  /** Consecutive attempts with this sign. */
  readonly count: number;
  /** The pause that the endpoint asked for, ms (`Retry-After`). */
  readonly laterMs?: number;
}

/** Limits and circuit breaker of endpoints in Redis, shared by all processes. */
export class EndpointBreaker {
  /** @param clock its lead over the clock of Redis */
  constructor(
    private readonly redis: RedisClient,
    private readonly rules: BreakerRules,
    private readonly clock: { readonly aheadMs: number } = { aheadMs: 0 },
  ) {}

  /** Acquires a slot for attempts; `report` releases it. @param most slots of this endpoint, if it has its own limit */
  async admit(keys: EndpointKeys, token: string, most = this.rules.slots.most): Promise<Admission> {
    const { slots, lostMs } = this.rules;
    const [verdict, value] = (await BREAKER_SCRIPTS.admit.run(this.redis, keys, {
      ...{ token, lostMs, probeMs: lostMs, aheadMs: this.clock.aheadMs },
      ...{ firstSlots: Math.min(slots.first, most), maxSlots: most, groupSlots: slots.group },
    })) as ['OK'] | ['DISABLED', string] | [keyof typeof WAITS, number];
    if (verdict === 'OK') return { kind: 'admitted' };
    if (verdict === 'DISABLED') return { kind: 'disabled', reason: value };
    return { kind: WAITS[verdict], waitMs: value };
  }

  /** Keeps the slot of an attempt in progress. False if it was counted as lost. */
  async hold(keys: EndpointKeys, token: string): Promise<boolean> {
    const args = { token, lostMs: this.rules.lostMs, aheadMs: this.clock.aheadMs };
    return (await BREAKER_SCRIPTS.hold.run(this.redis, keys, args)) === 1;
  }

  /**
   * Records the result of admitted attempts and releases their slot. @param name name of the endpoint, for operators
   */
  async report(keys: EndpointKeys, name: string, attempt: AttemptReport): Promise<EndpointChange> {
    const { breaker } = this.rules;
    const { token, sign, ms, count, laterMs = 0 } = attempt;
    const reply = await BREAKER_SCRIPTS.report.run(this.redis, keys, {
      ...{ token, sign, name, count, tookMs: Math.round(ms), laterMs: Math.round(laterMs) },
      ...{ maxFailures: breaker.failures, sample: breaker.sample },
      ...{ pauseMs: breaker.pauseMs, maxPauseMs: breaker.longestPauseMs },
      ...{ disableMs: breaker.disableAfterMs, disableFailures: breaker.disableAfterFailures },
      aheadMs: this.clock.aheadMs,
    });
    return CHANGES.find((change) => change.toUpperCase() === reply);
  }
}
