import type { Tracing, TracingComplaint } from './tracing.js';
import type { TracingOptions } from './tracing.options.js';

/** Begins to record. The SDK is loaded only here: a process without tracing does without it. */
export async function startTracing(options: TracingOptions, complain: TracingComplaint): Promise<Tracing> {
  const { OtelTracing } = await import('./otel-tracing.js');
  return OtelTracing.start(options, complain);
}
