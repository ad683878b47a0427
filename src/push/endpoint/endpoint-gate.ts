import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BreakerWatch } from './breaker-watch.js';
import { Clock } from '../clock.js';
import { type AttemptOutcome, Delivery } from '../delivery/delivery.js';
import { type Endpoint, EndpointStore } from './endpoint.store.js';
import { PushOptions } from '../push.options.js';
import type { PushAttempt } from '../delivery/request.js';
import { SlowLane } from './slow-lane.js';

export type GateOutcome =
  | ({ readonly kind: 'attempted' } & AttemptOutcome)
  /** No room for it now: nothing was sent, and no attempt is spent. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The endpoint is disabled: nothing is sent to it any more. */
  | { readonly kind: 'disabled'; readonly reason: string };

/** How long an attempt waits that found the slow lane full. */
const LANE_WAIT_MS = 250;

/** The way to an endpoint: an attempt is made within the limits of this process, of the endpoint and of its tenant. */
@Injectable()
export class EndpointGate {
  private readonly log = new Logger(EndpointGate.name);
  private readonly lane: SlowLane;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly delivery: Delivery,
    private readonly clock: Clock,
    private readonly breakers: BreakerWatch,
    @Inject(PushOptions) options: PushOptions,
  ) {
    this.lane = new SlowLane(Math.ceil(options.concurrency / 2));
  }

  /** Throws the reason of `signal`. */
  async pass(push: PushAttempt, signal: AbortSignal): Promise<GateOutcome> {
    const endpoint = endpointOf(push);
    const leave = this.lane.enter(endpoint.origin, this.clock.now());
    if (leave === undefined) return { kind: 'wait', ms: LANE_WAIT_MS * (1 + Math.random()) };
    try {
      return await this.passEndpoint(push, endpoint, signal);
    } finally {
      leave();
    }
  }

  private async passEndpoint(push: PushAttempt, endpoint: Endpoint, signal: AbortSignal): Promise<GateOutcome> {
    const token = randomUUID();
    const admission = await this.endpoints.admit(endpoint, token);
    this.breakers.found(endpoint, admission);
    if (admission.kind === 'disabled') return admission;
    // A little later than the moment named, and not all at once.
    if (admission.kind !== 'admitted') return { kind: 'wait', ms: admission.waitMs * (1 + 0.1 * Math.random()) };
    let succeeded: boolean | undefined;
    const began = performance.now();
    try {
      const outcome = await this.delivery.attempt(push, signal);
      succeeded = successOf(outcome);
      return { kind: 'attempted', ...outcome };
    } finally {
      await this.report(endpoint, token, succeeded, performance.now() - began);
    }
  }

  private async report(endpoint: Endpoint, token: string, succeeded: boolean | undefined, ms: number): Promise<void> {
    if (succeeded !== undefined) this.lane.note(endpoint.origin, succeeded, this.clock.now());
    const change = await this.endpoints.report(endpoint, token, succeeded, ms);
    if (change === undefined) return;
    this.breakers.changed(change);
    this.log.warn({ event: `push.endpoint-${change}`, ...endpoint });
  }
}

export function endpointOf({ record }: Pick<PushAttempt, 'record'>): Endpoint {
  return { tenant: record.tenant, origin: new URL(record.url).origin };
}

/** A blocked address was never reached: that says nothing of the endpoint. */
function successOf({ verdict }: AttemptOutcome): boolean | undefined {
  if (verdict.kind === 'delivered') return true;
  return 'reason' in verdict && verdict.reason === 'blocked_address' ? undefined : false;
}
