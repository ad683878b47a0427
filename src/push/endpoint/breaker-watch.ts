import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../../platform/metrics/metrics.js';
import { Clock } from '../clock.js';
import type { Admission, Endpoint, EndpointChange } from './endpoint.store.js';

/** Entries beyond this are those of endpoints that nobody has asked for the longest time. */
const MOST_REMEMBERED = 10_000;

/** Counts what the breakers of endpoints do, as far as this dispatcher meets them. */
@Injectable()
export class BreakerWatch implements OnModuleInit {
  private readonly openUntil = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  onModuleInit(): void {
    if (this.metrics === undefined) return;
    const count = (): number => this.openNow();
    new Gauge({
      name: 'a2a_push_endpoints_open',
      help: 'Receivers of webhooks that this dispatcher found left alone for now.',
      registers: [this.metrics.registry],
      collect() {
        this.set(count());
      },
    });
  }

  /** What an endpoint answered to the wish to attempt. */
  found({ tenant, origin }: Endpoint, admission: Admission): void {
    const name = `${tenant} ${origin}`;
    this.openUntil.delete(name);
    if (admission.kind !== 'open') return;
    this.openUntil.set(name, this.clock.now() + admission.waitMs);
    const [oldest] = this.openUntil.keys();
    if (oldest !== undefined && this.openUntil.size > MOST_REMEMBERED) this.openUntil.delete(oldest);
  }

  changed(change: NonNullable<EndpointChange>): void {
    this.metrics?.endpointChanged(change);
  }

  private openNow(): number {
    const now = this.clock.now();
    for (const [name, until] of this.openUntil) if (until <= now) this.openUntil.delete(name);
    return this.openUntil.size;
  }
}
