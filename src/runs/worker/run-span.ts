import { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { RUN_QUEUE } from '../queue/run.queue.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import type { AgentWork } from '../../platform/tracing/gen-ai.js';
import { queueAttributes } from '../../platform/tracing/queue-attributes.js';
import { contextOf, spanContextOf } from '../../platform/tracing/trace-carrier.js';
import type { TracedOptions } from '../../platform/tracing/traced.js';

/** The span of one run. */
export const RUN_SPAN = `process ${RUN_QUEUE}`;

/** A run belongs to the trace of the call that began its turn; later runs link to the previous one. */
export function runSpanOptions(run: ClaimedRun): TracedOptions {
  const before = spanContextOf(run.runBefore);
  return {
    kind: SpanKind.CONSUMER,
    parent: contextOf(run.trace),
    attributes: {
      ...queueAttributes(RUN_QUEUE, 'process'),
      'a2a.task.id': run.taskId,
      'a2a.context.id': run.contextId,
      'a2a.skill.id': run.skillId,
      'a2a.turn': run.turn,
      'a2a.attempt': run.attempt,
      ...(run.isSimulated ? { 'a2a.simulated': true } : {}),
    },
    links: before === undefined ? [] : [{ context: before, attributes: { 'a2a.link': 'run-before' } }],
  };
}

/** The agent of a run, for the spans of its models and tools. @param name name of its skill */
export function agentWorkOf({ tenant, taskId, contextId, skillId, version }: ClaimedRun, name = skillId): AgentWork {
  return { tenant, taskId, contextId, agentId: skillId, agentName: name, version };
}

/** Endings that leave the work to another run, because this one failed. */
const BROKEN = ['retry', 'lost', 'timed-out'];

/** Sets the ending of a run on its span, as named by `RunCompletion`. */
export function describeEnding(span: Span, ending: string): void {
  span.setAttribute('a2a.run.ending', ending);
  if (BROKEN.includes(ending)) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', ending);
}
