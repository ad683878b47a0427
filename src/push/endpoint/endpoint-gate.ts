import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { PushClock } from '../push.clock.js';
import { PushOptions } from '../push.options.js';
import { BreakerWatch } from './breaker-watch.js';
import type { EndpointSign } from '../../platform/breaker/endpoint-breaker.js';
import { type Endpoint, EndpointStore } from './endpoint.store.js';
import { SlowLane } from './slow-lane.js';

/** The result of requesting a slot for an attempt. */
export type Passage<T> =
  | { readonly kind: 'attempted'; readonly attempt: T }
  /** No slot is free now: nothing was sent, and no attempt is counted. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The endpoint is disabled: nothing is sent to it any more. */
  | { readonly kind: 'disabled' };

/** Delay of an attempt when the slow lane is full. */
const LANE_WAIT_MS = 250;

/** Lets attempts through to an endpoint, within the limits of this process, of the endpoint and of its tenant. */
@Injectable()
export class EndpointGate {
  private readonly log = new Logger(EndpointGate.name);
  private readonly lane: SlowLane;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly clock: PushClock,
    private readonly breakers: BreakerWatch,
    @Inject(PushOptions) options: PushOptions,
  ) {
    this.lane = new SlowLane(Math.ceil(options.concurrency / 2));
  }

  /** Throws what `attempt` throws. */
  async pass<T extends { readonly sign: EndpointSign }>(
    endpoint: Endpoint,
    attempt: () => Promise<T>,
  ): Promise<Passage<T>> {
    const leave = this.lane.enter(endpoint.origin, this.clock.now());
    if (leave === undefined) return { kind: 'wait', ms: LANE_WAIT_MS * (1 + Math.random()) };
    try {
      return await this.admitted(endpoint, attempt);
    } finally {
      leave();
    }
  }

  private async admitted<T extends { readonly sign: EndpointSign }>(
    endpoint: Endpoint,
    attempt: () => Promise<T>,
  ): Promise<Passage<T>> {
    const token = randomUUID();
    const admission = await this.endpoints.admit(endpoint, token);
    this.breakers.found(endpoint, admission);
    if (admission.kind === 'disabled') return { kind: 'disabled' };
    // A little later than the moment named, and not all at once.
    if (admission.kind !== 'admitted') return { kind: 'wait', ms: admission.waitMs * (1 + 0.1 * Math.random()) };
    let sign: EndpointSign = 'none';
    const began = performance.now();
    try {
      const made = await attempt();
      sign = made.sign;
      return { kind: 'attempted', attempt: made };
    } finally {
      await this.report(endpoint, { token, sign, ms: performance.now() - began });
    }
  }

  private async report(
    endpoint: Endpoint,
    attempt: { readonly token: string; readonly sign: EndpointSign; readonly ms: number },
  ): Promise<void> {
    const { sign } = attempt;
    if (sign === 'succeeded' || sign === 'failed') {
      this.lane.note(endpoint.origin, sign === 'succeeded', this.clock.now());
    }
    const change = await this.endpoints.report(endpoint, attempt);
    if (change === undefined) return;
    this.breakers.changed(change);
    this.log.warn({ event: `push.endpoint-${change}`, ...endpoint });
  }
}
