import { type Context, trace } from '@opentelemetry/api';
import { type CallTrace, spanContextOf, type TraceCarrier } from '../tracing/trace-carrier.js';
import { type LineFields, lineFields, loggable } from './line-fields.js';

/** The authenticated caller of a call, as logged. */
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
 * The fields of a new call: ids of its request and of its trace. A call without a trace is a trace of its own, named by
 * its request.
 */
export function arrivedFields(requestId: string, traceparent: unknown): LineFields {
  const stated = typeof traceparent === 'string' ? spanContextOf(traceparent)?.traceId : undefined;
  return { request_id: requestId, trace_id: stated ?? requestId };
}

/** The trace of a call that states it outside its headers. */
export function traceFields(context: Context): LineFields {
  const traceId = trace.getSpanContext(context)?.traceId;
  return traceId === undefined ? {} : { trace_id: traceId };
}

/** The authenticated caller, with the fields of the audit log; `caller` is its name in its tasks. */
export function callerFields({ tenant, client, subject = '' }: LoggedCaller): LineFields {
  return { tenant, client, caller: `agent://${client}`, ...(subject === '' ? {} : { subject }) };
}

/** The fields stated by the context object of a message: they override those of headers. */
export function statedFields({ caller, traceId, requestId }: StatedNames): LineFields {
  return {
    ...(caller === undefined ? {} : { caller: loggable(caller) }),
    ...(traceId === undefined ? {} : { trace_id: loggable(traceId) }),
    ...(requestId === undefined ? {} : { request_id: loggable(requestId) }),
  };
}

/** The call data that a task stores: its trace, and the log fields of its runs and webhooks. */
export function callTraceOf(carrier: TraceCarrier): CallTrace {
  return { ...carrier, names: namesToStore() };
}

/** The log fields of the call as its task stores them; '' outside of a call. */
function namesToStore(): string {
  const { request_id: request, trace_id: traceId } = lineFields() ?? {};
  if (request === undefined) return '';
  return JSON.stringify(traceId === undefined || traceId === request ? [request] : [request, traceId]);
}

/** The log fields that a task has stored; none for a task of an older version. */
export function storedFields(names: string | undefined): LineFields {
  if (names === undefined || names === '') return {};
  const [request, traceId = request] = JSON.parse(names) as readonly [string, string?];
  return { request_id: request, trace_id: traceId };
}
