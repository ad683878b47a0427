import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { HandledCall } from '../../platform/metrics/observation.js';
import type { CallFacts } from '../../operation/call.js';

/** What the RPC conventions call the bindings that they know. */
const SYSTEMS: Readonly<Record<HandledCall['binding'], object>> = {
  jsonrpc: { 'rpc.system.name': 'jsonrpc' },
  grpc: { 'rpc.system.name': 'grpc' },
  rest: {},
};

/** Outcomes that are faults of ours: only these fail the span of a server. */
const OUR_FAULTS: readonly HandledCall['outcome'][] = ['InternalError', 'Unavailable', 'InvalidAgentResponse'];

/** The log line of a call that was answered, or of a stream that has ended. */
export function callLine(call: HandledCall, facts: CallFacts): object {
  const { binding, operation = 'unknown', dialect: version, outcome, seconds } = call;
  return { event: `${EVENTS[binding]}.handled`, operation, version, outcome, ms: Math.round(seconds * 1000), ...facts };
}

const EVENTS: Readonly<Record<HandledCall['binding'], string>> = { jsonrpc: 'rpc', rest: 'rest', grpc: 'grpc' };

/** Says in the active span which call it was and what came of it (OpenTelemetry's RPC conventions). */
export function describeCall(call: HandledCall, { requestId, taskId, contextId }: CallFacts): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return;
  const { binding, operation = '_OTHER', dialect, outcome } = call;
  span.updateName(`A2A/${operation}`).setAttributes({
    ...SYSTEMS[binding],
    'rpc.method': `A2A/${operation}`,
    'rpc.response.status_code': outcome,
    'a2a.protocol.version': dialect,
    'a2a.binding': binding,
    'a2a.request.id': requestId,
    ...(taskId === undefined ? {} : { 'a2a.task.id': taskId }),
    ...(contextId === undefined ? {} : { 'a2a.context.id': contextId }),
  });
  if (OUR_FAULTS.includes(outcome)) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', outcome);
}
