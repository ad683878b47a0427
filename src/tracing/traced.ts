import { type Context, context, type Span, SpanStatusCode, type SpanOptions, trace } from '@opentelemetry/api';

const TRACER = trace.getTracer('parley');

/** How a span begins; `parent` is the active context unless it says otherwise. */
export interface TracedOptions extends SpanOptions {
  readonly parent?: Context;
}

/** Begins a span that its caller ends; names have few values, ids are attributes. */
export function beginSpan(name: string, { parent = context.active(), ...options }: TracedOptions = {}): Span {
  return TRACER.startSpan(name, options, parent);
}

/** Does work inside a span, which fails when the work throws. While nothing is recorded this costs next to nothing. */
export async function traced<T>(name: string, options: TracedOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = beginSpan(name, options);
  try {
    return await context.with(trace.setSpan(options.parent ?? context.active(), span), work, undefined, span);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The same for details that are of no use alone: outside of a recorded span there is none. */
export async function tracedInside<T>(
  name: string,
  options: () => SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return trace.getActiveSpan()?.isRecording() === true ? traced(name, options(), work) : work(undefined);
}

/** Marks a span as failed, with the kind of the error; its text may hold what belongs to callers and stays out. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}
