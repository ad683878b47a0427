import { Injectable, Logger } from '@nestjs/common';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { CallFacts } from '../../operations/call.js';
import { logsDebug, logsInfo } from '../../platform/logging/pino.logger.js';
import { CallMetrics, type HandledCall } from './call.metrics.js';

/** A call in progress: its start, and the facts for its log line. */
export interface RunningCall {
  readonly started: number;
  readonly facts: CallFacts;
}

/** The labels by which a call is counted. */
export type CallName = Pick<HandledCall, 'binding' | 'operation' | 'dialect'>;

/**
 * Times, counts, traces and logs the calls of every binding, once each. Not an interceptor: gRPC has no interceptors of
 * Nest, and for HTTP RxJS costs more than the guards.
 */
@Injectable()
export class CallRecorder {
  private readonly log = new Logger(CallRecorder.name);

  constructor(private readonly metrics: CallMetrics) {}

  begin(requestId: string): RunningCall {
    return { started: performance.now(), facts: { requestId } };
  }

  /** Records an answered call, or an ended stream. */
  end({ started, facts }: RunningCall, name: CallName, outcome: HandledCall['outcome']): void {
    const { binding, operation, dialect } = name;
    const call = { binding, operation, dialect, outcome, seconds: (performance.now() - started) / 1000 };
    this.metrics.record(call);
    describeCall(call, facts);
    logCall(this.log, call, facts);
  }
}

/** Names of the bindings in the RPC conventions. */
const SYSTEMS: Readonly<Record<HandledCall['binding'], object>> = {
  jsonrpc: { 'rpc.system.name': 'jsonrpc' },
  grpc: { 'rpc.system.name': 'grpc' },
  rest: {},
  mcp: { 'rpc.system.name': 'jsonrpc' },
};

/** Server-side errors: only these set the span of a call to an error. */
const OUR_FAULTS: readonly HandledCall['outcome'][] = ['InternalError', 'Unavailable', 'InvalidAgentResponse'];

/** Writes the log line of an answered call, or of an ended stream. Successful polls are logged at debug. */
export function logCall(log: Pick<Logger, 'log' | 'debug'>, call: HandledCall, facts: CallFacts): void {
  const isPoll = call.operation === 'GetTask' && call.outcome === 'ok';
  if (isPoll ? !logsDebug() : !logsInfo()) return;
  if (isPoll) log.debug(callLine(call, facts));
  else log.log(callLine(call, facts));
}

/** Adds the method name of the caller's version, if it differs from the operation's. */
function callLine(call: HandledCall, { method, ...facts }: CallFacts): object {
  const { binding, operation = 'unknown', dialect: version, outcome, seconds } = call;
  const named = method === undefined || method === operation ? {} : { method };
  const ms = Math.round(seconds * 1000);
  return { event: `${EVENTS[binding]}.handled`, operation, ...named, version, outcome, ms, ...facts };
}

const EVENTS: Readonly<Record<HandledCall['binding'], string>> = {
  jsonrpc: 'rpc',
  rest: 'rest',
  grpc: 'grpc',
  mcp: 'mcp',
};

/** Sets operation and outcome of the call on the active span (OpenTelemetry's RPC conventions). */
export function describeCall(call: HandledCall, { requestId, taskId, contextId, actors }: CallFacts): void {
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
    ...(actors === undefined ? {} : { 'a2a.actors': [...actors] }),
  });
  if (OUR_FAULTS.includes(outcome)) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', outcome);
}
