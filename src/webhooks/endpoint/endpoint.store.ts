import { Inject, Injectable } from '@nestjs/common';
import {
  type Admission,
  type AttemptReport,
  EndpointBreaker,
  type EndpointChange,
  type EndpointKeys,
} from '../../platform/breaker/endpoint-breaker.js';
import { endpointState, type EndpointState } from '../../platform/breaker/endpoint-state.js';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { PushClock } from '../push.clock.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';

/** A receiver of a tenant's webhooks. Limits and breaker count by this pair, so one tenant cannot block another. */
export interface Endpoint {
  readonly tenant: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** Longer than any attempt. */
const ATTEMPT_LOST_MS = 20_000;

/** Limits and circuit breakers of endpoints, shared by all processes. */
@Injectable()
export class EndpointStore {
  private readonly keys: PushKeys;
  private readonly breaker: EndpointBreaker;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(PushOptions) { keyPrefix, breaker, endpointSlots, tenantSlots }: PushOptions,
    clock: PushClock,
  ) {
    this.keys = new PushKeys(keyPrefix);
    const slots = { ...endpointSlots, group: tenantSlots };
    this.breaker = new EndpointBreaker(redis, { breaker, slots, lostMs: ATTEMPT_LOST_MS }, clock);
  }

  /** Acquires a slot for attempts; `report` releases it. */
  admit(endpoint: Endpoint, token: string): Promise<Admission> {
    return this.breaker.admit(this.keysOf(endpoint), token);
  }

  /** Records the result of admitted attempts and releases their slot. */
  report(endpoint: Endpoint, attempt: AttemptReport): Promise<EndpointChange> {
    return this.breaker.report(this.keysOf(endpoint), `${endpoint.tenant} ${endpoint.origin}`, attempt);
  }

  /** Resets the endpoint: failures, breaker and disabled state. */
  async enable(endpoint: Endpoint): Promise<void> {
    await this.redis.del(this.keysOf(endpoint).endpoint);
  }

  stateOf(endpoint: Endpoint): Promise<EndpointState> {
    return endpointState(this.redis, this.keysOf(endpoint));
  }

  private keysOf({ tenant, origin }: Endpoint): EndpointKeys {
    return this.keys.endpoint(tenant, origin);
  }
}
