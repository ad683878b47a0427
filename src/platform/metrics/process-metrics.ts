import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Gauges of prom-client whose names end in `_total`, which the Prometheus checks refuse; the others cover them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** What this process is made of and how it does: memory, CPU, event loop, garbage collection, build. */
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
