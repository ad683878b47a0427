import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets in seconds, from a fast read to a call at its time limit. */
export const CALL_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** Buckets in seconds; beyond the last one it is a backlog. */
export const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

/**
 * The Prometheus registry of this process. Each feature creates its counters and timers here (`*.metrics.ts`). Every
 * label has few values, all constants of ours: no ids, no names chosen by callers. Recording never throws and never
 * waits.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A gauge that is read when it is scraped. */
  readGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      ...{ name, help, registers: [this.registry] },
      collect() {
        this.set(read());
      },
    });
  }

  gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    { labels = [], buckets }: { readonly labels?: readonly L[]; readonly buckets: number[] },
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames: labels, buckets, registers: [this.registry] });
  }
}
