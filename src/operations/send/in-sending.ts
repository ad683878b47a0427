import { SpanKind } from '@opentelemetry/api';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { RUN_QUEUE } from '../../runs/queue/run.queue.js';
import { callTraceOf } from '../../platform/logging/call-fields.js';
import { carrierIn, carrierOf, type CallTrace } from '../../platform/tracing/trace-carrier.js';
import { queueAttributes } from '../../platform/tracing/queue-attributes.js';
import { recordsSpans, traced } from '../../platform/tracing/traced.js';
import type { Call } from '../call.js';

/**
 * One producer span covers the commit of the run request and the job that wakes a worker (OpenTelemetry's messaging
 * conventions). The run continues this trace, in any process and at any time.
 */
export function inSending<T>(taskId: string, call: Call, work: (trace: CallTrace) => Promise<T>): Promise<T> {
  if (!recordsSpans()) return work(callTraceOf(carrierIn(call.trace)));
  const attributes = { ...queueAttributes(RUN_QUEUE, 'send'), 'a2a.task.id': taskId };
  const options = { kind: SpanKind.PRODUCER, parent: call.trace, attributes };
  return traced(
    `send ${RUN_QUEUE}`,
    () => options,
    (span) => work(callTraceOf(carrierOf(span))),
  );
}

/** Runs the work, and `close` if it fails. */
export async function closingOnError<T>(close: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    close();
    throw error;
  }
}

/** Nothing leaves the service in debug mode. */
export function refuseWebhook({ configuration }: SendMessageRequest): void {
  if (configuration?.taskPushNotificationConfig === undefined) return;
  const field = 'configuration.taskPushNotificationConfig';
  throw invalidParams([{ field, description: 'is not for a simulated task: nothing leaves the service' }]);
}
