import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** A trace context as two headers (W3C Trace Context §3); empty if there is none. */
export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/**
 * The call data that a task stores for its turn: the trace that runs and webhooks continue, and the fields of their log
 * lines.
 */
export interface CallTrace extends TraceCarrier {
  /** In the format of `callTraceOf`. */
  readonly names?: string;
}

const W3C = new W3CTraceContextPropagator();

/** The trace context from headers or stored fields; the root of a new trace if they are absent or invalid. */
export function contextOf(carrier: object): Context {
  return W3C.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

/**
 * The trace context for others to continue from this span. While nothing is recorded it is the caller's own, so that a
 * trace passes through unchanged.
 */
export function carrierOf(span: Span): TraceCarrier {
  return carrierIn(trace.setSpan(ROOT_CONTEXT, span));
}

/** The same for the span in a context, such as a caller's. */
export function carrierIn(context: Context): TraceCarrier {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  W3C.inject(context, carrier, defaultTextMapSetter);
  return carrier;
}

/** The same for the active span; undefined if none is recorded. */
export function activeCarrier(): TraceCarrier | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? carrierOf(span) : undefined;
}

/** The span of a stored `traceparent`; undefined for an empty or malformed one. */
export function spanContextOf(traceparent: string): SpanContext | undefined {
  return trace.getSpanContext(contextOf({ traceparent }));
}
