import type { Attributes } from '@opentelemetry/api';

/** Attributes of a queue span, from OpenTelemetry's messaging conventions. */
export function queueAttributes(queue: string, operation: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  };
}
