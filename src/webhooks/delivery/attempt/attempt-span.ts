import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { queueAttributes } from '../../../platform/tracing/queue-attributes.js';
import { contextOf, spanContextOf } from '../../../platform/tracing/trace-carrier.js';
import type { TracedOptions } from '../../../platform/tracing/traced.js';
import { PUSH_QUEUE } from '../push.queue.js';
import type { PushAttempt } from './request.js';
import type { AttemptOutcome } from './attempt-outcome.js';

/** The span of one attempt; the request itself is a span within it. */
export const ATTEMPT_SPAN = `process ${PUSH_QUEUE}`;

/** An attempt belongs to the trace of the call that began the task's turn; a repeat links to the attempt before it. */
export function attemptSpanOptions({
  record,
  seq,
  webhookId,
  attempt,
  trace,
  attemptBefore,
}: PushAttempt): TracedOptions {
  const before = attempt > 1 ? spanContextOf(attemptBefore) : undefined;
  return {
    kind: SpanKind.CONSUMER,
    parent: contextOf(trace),
    attributes: {
      ...queueAttributes(PUSH_QUEUE, 'process'),
      'messaging.message.id': webhookId,
      'a2a.task.id': record.taskId,
      'a2a.push_config.id': record.id,
      'a2a.event.seq': seq,
      'a2a.attempt': attempt,
    },
    links: before === undefined ? [] : [{ context: before, attributes: { 'a2a.link': 'attempt-before' } }],
  };
}

/** Sets the outcome of the attempt on its span; a refusal is an error. */
export function describeOutcome(span: Span, outcome: AttemptOutcome): void {
  span.setAttribute('a2a.push.outcome', outcome.kind);
  if (outcome.kind !== 'delivered')
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', outcome.reason);
}
