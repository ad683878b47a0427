import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Gauges of prom-client whose names end in `_total`, against the Prometheus rules; other gauges have the same values. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics of the process: memory, CPU, event loop, garbage collection, build. */
export function addProcessMetrics(
  registry: Registry,
  build: { readonly version: string; readonly role: string },
): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const labels = { version: build.version, role: build.role, node: process.version };
  new Gauge({
    name: 'a2a_build_info',
    help: 'Always 1; version and role are in the labels.',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1);
}
