import { type Context, trace } from '@opentelemetry/api';
import { type CallTrace, spanContextOf, type TraceCarrier } from '../tracing/trace-carrier.js';
import { type LineFields, lineFields, loggable } from './line-fields.js';

/** The authenticated caller of a call, as far as lines name it. */
interface LoggedCaller {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string | undefined;
}

interface StatedNames {
  readonly caller?: string;
  readonly traceId?: string;
  readonly requestId?: string;
}

/**
 * The names of a call that has just come: that of the request, and that of its trace. A call that names no trace is a trace of
 * its own, by the name of its request.
 */
export function arrivedFields(requestId: string, traceparent: unknown): LineFields {
  const stated = typeof traceparent === 'string' ? spanContextOf(traceparent)?.traceId : undefined;
  return { request_id: requestId, trace_id: stated ?? requestId };
}

/** The trace that a call states elsewhere than in its headers. */
export function traceFields(context: Context): LineFields {
  const traceId = trace.getSpanContext(context)?.traceId;
  return traceId === undefined ? {} : { trace_id: traceId };
}

/** The authenticated caller, in the words of the audit log; `caller` is the name that its tasks have of it. */
export function callerFields({ tenant, client, subject = '' }: LoggedCaller): LineFields {
  return { tenant, client, caller: `agent://${client}`, ...(subject === '' ? {} : { subject }) };
}

/** The names that the context object of a message states: they go before those of headers. */
export function statedFields({ caller, traceId, requestId }: StatedNames): LineFields {
  return {
    ...(caller === undefined ? {} : { caller: loggable(caller) }),
    ...(traceId === undefined ? {} : { trace_id: loggable(traceId) }),
    ...(requestId === undefined ? {} : { request_id: loggable(requestId) }),
  };
}

/** What a task stores of the call that is running now: its trace, and its names for the lines of its runs and webhooks. */
export function callTraceOf(carrier: TraceCarrier): CallTrace {
  return { ...carrier, names: namesToStore() };
}

/** The names of the call as its task stores them; '' outside of a call. */
function namesToStore(): string {
  const { request_id: request, trace_id: traceId } = lineFields() ?? {};
  if (request === undefined) return '';
  return JSON.stringify(traceId === undefined || traceId === request ? [request] : [request, traceId]);
}

/** The names that a task has stored of its call; none of a task of an older version. */
export function storedFields(names: string | undefined): LineFields {
  if (names === undefined || names === '') return {};
  const [request, traceId = request] = JSON.parse(names) as readonly [string, string?];
  return { request_id: request, trace_id: traceId };
}
