import type { Tracing, TracingComplaint } from './tracing.js';
import type { TracingOptions } from './tracing.options.js';

/** Starts recording. Loads the SDK lazily: a process without tracing does not need it. */
export async function startTracing(options: TracingOptions, complain: TracingComplaint): Promise<Tracing> {
  const { OtelTracing } = await import('./otel-tracing.js');
  return OtelTracing.start(options, complain);
}
