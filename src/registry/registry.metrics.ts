import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../platform/metrics/metrics.js';

/** Counts the registry's own activities. */
@Injectable()
export class RegistryMetrics {
  private readonly looks: Counter<'result'>;

  constructor(metrics: Metrics) {
    const help =
      'Looks at cards of registered agents: unchanged, changed, drifted (a new card waits for approval), failed';
    this.looks = metrics.counter('parley_registry_probes_total', help, ['result']);
  }

  looked(result: string): void {
    this.looks.inc({ result });
  }
}
