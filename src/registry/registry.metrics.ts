import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../platform/metrics/metrics.js';

/** Counts the registry's own activities. */
@Injectable()
export class RegistryMetrics {
  private readonly probes: Counter<'result'>;

  constructor(metrics: Metrics) {
    const help =
      'Probes of the cards of registered agents: unchanged, changed, drifted (a new card waits for approval), failed';
    this.probes = metrics.counter('parley_registry_probes_total', help, ['result']);
  }

  probed(result: string): void {
    this.probes.inc({ result });
  }
}
