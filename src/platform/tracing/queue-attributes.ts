import type { Attributes } from '@opentelemetry/api';

/** What OpenTelemetry's messaging conventions ask of a span about a queue. */
export function queueAttributes(queue: string, operation: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  };
}
