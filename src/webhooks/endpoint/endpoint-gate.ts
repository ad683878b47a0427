import { Inject, Injectable, Logger } from '@nestjs/common';
import { PushClock } from '../push.clock.js';
import { PushOptions } from '../push.options.js';
import { BreakerWatch } from './breaker-watch.js';
import { EndpointVisit } from './endpoint-visit.js';
import type { AttemptReport } from '../../platform/breaker/endpoint-breaker.js';
import { type Endpoint, EndpointStore } from './endpoint.store.js';
import { LargeDeliveries } from './large-deliveries.js';
import { SlowLane } from './slow-lane.js';

/** Admits attempts to endpoints within the limits of this process, of the endpoint and of its tenant. */
@Injectable()
export class EndpointGate {
  private readonly log = new Logger(EndpointGate.name);
  private readonly lane: SlowLane;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly clock: PushClock,
    private readonly breakers: BreakerWatch,
    readonly large: LargeDeliveries,
    @Inject(PushOptions) options: PushOptions,
  ) {
    this.lane = new SlowLane(Math.ceil(options.concurrency / 2));
  }

  /** The attempts of one delivery to an endpoint; the caller leaves it at the end. */
  visit(endpoint: Endpoint): EndpointVisit {
    const { lane, endpoints, clock, breakers } = this;
    const { origin } = endpoint;
    return new EndpointVisit({
      enter: () => lane.enter(origin, clock.now()),
      isTrusted: () => lane.isTrusted(origin, clock.now()),
      admit: async (token) => {
        const admission = await endpoints.admit(endpoint, token);
        breakers.found(endpoint, admission);
        return admission;
      },
      report: (attempt) => this.report(endpoint, attempt),
    });
  }

  private async report(endpoint: Endpoint, attempt: AttemptReport): Promise<void> {
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
