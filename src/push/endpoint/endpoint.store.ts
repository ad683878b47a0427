import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../../platform/redis/connections.js';
import { PushClock } from '../push.clock.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';

/** A receiver of a tenant's webhooks. Limits and breaker count by this pair, so one tenant cannot block another. */
export interface Endpoint {
  readonly tenant: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

export type Admission =
  | { readonly kind: 'admitted' }
  /** `open`: the endpoint is left alone for now. `busy`: too much is under way. */
  | { readonly kind: 'open' | 'busy'; readonly waitMs: number }
  | { readonly kind: 'disabled'; readonly reason: string };

/**
 * What an attempt says of its endpoint. `refused`: the endpoint answered and does not want this request, which is the
 * fault of one webhook. `none`: the endpoint was not reached or the attempt was cut.
 */
export type EndpointSign = 'succeeded' | 'failed' | 'refused' | 'none';

const CHANGES = ['opened', 'closed', 'disabled'] as const;

/** The change of an endpoint's state after an attempt. */
export type EndpointChange = (typeof CHANGES)[number] | undefined;

/** What was attempted in a slot, which is given back. */
export interface AttemptReport {
  /** Of the slot. */
  readonly token: string;
  readonly sign: EndpointSign;
  /** How long the latest attempt took. */
  readonly ms: number;
  /** Attempts in a row with this sign. */
  readonly count: number;
}

/** The state of an endpoint for operators. */
export interface EndpointState {
  readonly failuresInARow: number;
  /** Until when it is left alone, ms since 1970. */
  readonly openUntil?: number;
  readonly failingSince?: number;
  readonly disabled?: string;
  readonly underWay: number;
}

/** Longer than any attempt: after it one that was never reported has crashed. */
const ATTEMPT_LOST_MS = 20_000;

/** Limits and circuit breakers of endpoints, shared by all processes. */
@Injectable()
export class EndpointStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(PushOptions) private readonly options: PushOptions,
    private readonly clock: PushClock,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** Acquires a slot for attempts; `report` releases it. */
  async admit(endpoint: Endpoint, token: string): Promise<Admission> {
    const { endpointSlots, tenantSlots } = this.options;
    const [verdict, value] = (await PUSH_SCRIPTS.admit.run(this.redis, this.keysOf(endpoint), [
      ...[token, ATTEMPT_LOST_MS, endpointSlots.first, endpointSlots.most, tenantSlots],
      ...[ATTEMPT_LOST_MS, this.clock.aheadMs],
    ])) as ['OK'] | ['DISABLED', string] | ['OPEN' | 'BUSY', number];
    if (verdict === 'OK') return { kind: 'admitted' };
    if (verdict === 'DISABLED') return { kind: 'disabled', reason: value };
    return { kind: verdict === 'OPEN' ? 'open' : 'busy', waitMs: value };
  }

  /** Records the result of admitted attempts, and gives their slot back. */
  async report(endpoint: Endpoint, { token, sign, ms, count }: AttemptReport): Promise<EndpointChange> {
    const { breaker } = this.options;
    const reply = await PUSH_SCRIPTS.report.run(this.redis, this.keysOf(endpoint), [
      ...[token, sign, Math.round(ms)],
      ...[breaker.failures, breaker.sample, breaker.pauseMs, breaker.longestPauseMs],
      ...[breaker.disableAfterMs, breaker.disableAfterFailures],
      ...[`${endpoint.tenant} ${endpoint.origin}`, this.clock.aheadMs, count],
    ]);
    return CHANGES.find((change) => change.toUpperCase() === reply);
  }

  /** Resets the endpoint: failures, breaker and disabled state. */
  async enable(endpoint: Endpoint): Promise<void> {
    await this.redis.del(this.keysOf(endpoint)[0]);
  }

  async stateOf(endpoint: Endpoint): Promise<EndpointState> {
    const [state, now] = this.keysOf(endpoint);
    const fields = await this.redis.hgetall(state);
    return {
      failuresInARow: Number(fields.fails ?? 0),
      underWay: await this.redis.zcard(now),
      ...(fields.open === undefined ? {} : { openUntil: Number(fields.open) }),
      ...(fields.failing === undefined ? {} : { failingSince: Number(fields.failing) }),
      ...(fields.disabled === undefined ? {} : { disabled: fields.disabled }),
    };
  }

  private keysOf({ tenant, origin }: Endpoint): readonly [string, string, string] {
    return this.keys.endpoint(tenant, origin);
  }
}
