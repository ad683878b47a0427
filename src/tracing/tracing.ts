import type { TracingOptions } from './tracing.options.js';

/** The recording of spans by this process. */
export interface Tracing {
  /** Sends what is left, for at most so long, and records no more. Never throws. */
  end(timeoutMs: number): Promise<void>;
}

/** Injection token of the above. */
export const Tracing = Symbol('Tracing');

/** Hears that spans could not be handed over, in a sentence for the operator. */
export type TracingComplaint = (reason: string) => void;

/** Begins to record. The SDK is loaded only here: a process without tracing does without it. */
export async function startTracing(options: TracingOptions, complain: TracingComplaint): Promise<Tracing> {
  const { OtelTracing } = await import('./otel-tracing.js');
  return OtelTracing.start(options, complain);
}
