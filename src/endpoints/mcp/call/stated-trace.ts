import { type Context, trace } from '@opentelemetry/api';
import { contextOf } from '../../../platform/tracing/trace-carrier.js';
import type { JsonObject } from '@parley/protocol/model/json.js';

/**
 * The trace of a request with a trace in `_meta` (SEP-414, MCP-AUTH-6): that of the HTTP header is the parent, and a
 * different one in `_meta` a link of the recorded span. Without a header and a span, `_meta` is the parent.
 * @param header the `traceparent` header
 */
export function statedTrace(
  own: Context,
  { traceparent, tracestate }: JsonObject,
  header: string | undefined,
): Context {
  if (typeof traceparent !== 'string' || traceparent === header) return own;
  const stated = contextOf({ traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) });
  const remote = trace.getSpanContext(stated);
  if (remote === undefined) return own;
  const span = trace.getSpan(own);
  if (span?.isRecording() !== true) return header === undefined ? stated : own;
  span.addLink({ context: remote });
  return own;
}
