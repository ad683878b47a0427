import {
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Span,
  SpanStatusCode,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';

const TRACER = trace.getTracer('parley');
/** The span passed to work while tracing is off. */
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

let recording = false;

/** Sets whether this process records spans; if not, none are created. */
export function recordSpans(on: boolean): void {
  recording = on;
}

/** Whether this process records spans; the sampler decides which. */
export function recordsSpans(): boolean {
  return recording;
}

/** Start options of a span; the default `parent` is the active context. */
export interface TracedOptions extends SpanOptions {
  readonly parent?: Context;
}

/** Starts a span that its caller ends; names have few values, ids are attributes. */
export function beginSpan(name: string, { parent = context.active(), ...options }: TracedOptions = {}): Span {
  return TRACER.startSpan(name, options, parent);
}

/** Runs work inside a span, which fails when the work throws. Free while nothing is recorded. */
export function traced<T>(name: string, options: () => TracedOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return recording ? inSpan(name, options(), work) : work(NO_SPAN);
}

async function inSpan<T>(name: string, options: TracedOptions, work: (span: Span) => Promise<T>): Promise<T> {
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

/** The same for details without use on their own: only inside a recorded span. */
export function tracedInside<T>(
  name: string,
  options: () => SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return recording && trace.getActiveSpan()?.isRecording() === true ? inSpan(name, options(), work) : work(undefined);
}

/** Marks a span as failed, with the kind of the error; its text may contain callers' data and is omitted. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}
