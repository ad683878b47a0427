import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Metrics } from './metrics.js';
import { MetricsOptions } from './metrics.options.js';

/**
 * Gauges of prom-client whose names end in `_total`, against the Prometheus rules; other gauges have the same values.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics of the process: memory, CPU, event loop, garbage collection, build. */
@Injectable()
export class ProcessMetrics {
  constructor({ registry }: Metrics, @Inject(MetricsOptions) { version, role }: MetricsOptions) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
    const labels = { version, role, node: process.version };
    new Gauge({
      name: 'a2a_build_info',
      help: 'Always 1; version and role are in the labels.',
      labelNames: Object.keys(labels),
      registers: [registry],
    }).set(labels, 1);
  }
}
