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

/** What a task stores of the call of its turn: the trace that runs and webhooks continue, and the names for their log lines. */
export interface CallTrace extends TraceCarrier {
  /** As `callTraceOf` writes them. */
  readonly names?: string;
}

const W3C = new W3CTraceContextPropagator();

/** The trace context from headers or stored fields; the root of a new trace if they are absent or invalid. */
export function contextOf(carrier: object): Context {
  return W3C.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

/**
 * What to hand on so that others continue from this span. While nothing is recorded that is what our own caller sent, so
 * a trace is passed through unharmed.
 */
export function carrierOf(span: Span): TraceCarrier {
  return carrierIn(trace.setSpan(ROOT_CONTEXT, span));
}

/** The same of the span in a context, such as a caller's. */
export function carrierIn(context: Context): TraceCarrier {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  W3C.inject(context, carrier, defaultTextMapSetter);
  return carrier;
}

/** The same of the span that is active; undefined where none is recorded. */
export function activeCarrier(): TraceCarrier | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? carrierOf(span) : undefined;
}

/** The span that a stored `traceparent` names; undefined for an empty or broken one. */
export function spanContextOf(traceparent: string): SpanContext | undefined {
  return trace.getSpanContext(contextOf({ traceparent }));
}
