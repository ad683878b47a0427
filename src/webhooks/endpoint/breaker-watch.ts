import { Injectable } from '@nestjs/common';
import { PushClock } from '../push.clock.js';
import { PushMetrics } from '../push.metrics.js';
import type { Admission, EndpointChange } from '../../platform/breaker/endpoint-breaker.js';
import type { Endpoint } from './endpoint.store.js';

/** Beyond this, the least recently used entries are dropped. */
const MAX_REMEMBERED = 10_000;

/** Records the circuit breakers of the endpoints that this process uses, for metrics. */
@Injectable()
export class BreakerWatch {
  private readonly openUntil = new Map<string, number>();

  constructor(
    private readonly clock: PushClock,
    private readonly metrics: PushMetrics,
  ) {}

  /** Records the breaker's decision on an attempt. */
  found({ tenant, origin }: Endpoint, admission: Admission): void {
    const name = `${tenant} ${origin}`;
    this.openUntil.delete(name);
    if (admission.kind !== 'open') return;
    this.openUntil.set(name, this.clock.now() + admission.waitMs);
    const [oldest] = this.openUntil.keys();
    if (oldest !== undefined && this.openUntil.size > MAX_REMEMBERED) this.openUntil.delete(oldest);
  }

  changed(change: NonNullable<EndpointChange>): void {
    this.metrics.endpointChanged(change);
  }

  /** Open breakers known to this process. */
  openNow(): number {
    const now = this.clock.now();
    for (const [name, until] of this.openUntil) if (until <= now) this.openUntil.delete(name);
    return this.openUntil.size;
  }
}
