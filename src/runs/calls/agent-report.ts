import { Logger } from '@nestjs/common';
import { type Attributes, SpanStatusCode, type SpanOptions, trace } from '@opentelemetry/api';
import type { EndedCall } from './ended-call.js';
import { beginSpan, tracedInside } from '../../platform/tracing/traced.js';
import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import type { ClaimedRun, Wait } from '../../tasks/commit/run.store.js';
import { duration } from './wait-duration.js';

const LOG = new Logger('AgentCalls');

/**
 * Writes the log line and span of an ended call. The call may have ended a minute or a month ago: the span has the
 * child's times.
 */
export function reportCall(run: ClaimedRun, { skillId, childId, outcome, begunAt, endedAt }: EndedCall): void {
  const times = begunAt === undefined || endedAt === undefined ? {} : { ms: Math.max(0, endedAt - begunAt) };
  const ids = { taskId: run.taskId, rootId: rootOf(run), skill: run.skillId, turn: run.turn };
  LOG.log({ event: 'agent.called', ...ids, called: skillId, ...(childId && { childId }), outcome, ...times });
  const attributes = { 'a2a.called.skill.id': skillId, ...(childId && { 'a2a.child.id': childId }) };
  endedSpan('agent.call', run, { attributes, outcome, begunAt, endedAt });
}

/** The span of an ended question; other waits have none. @param longestMs duration of a question without a limit */
export function reportQuestion(
  run: ClaimedRun,
  { question, until }: OpenWait,
  outcome: 'answered' | 'expired',
  longestMs: number,
): void {
  if (question === undefined) return;
  const begunAt = until - duration(question.timeoutMs ?? longestMs);
  endedSpan('agent.ask', run, { attributes: {}, outcome, begunAt, endedAt: Date.now() });
}

/** Parks a task within a span that records the waits by kind, and whether the task was parked. */
export function parked<T extends string>(run: ClaimedRun, wait: Wait, park: (wait: Wait) => Promise<T>): Promise<T> {
  const options = (): SpanOptions => ({
    attributes: {
      ...idsOf(run),
      'a2a.park.signals': wait.signals.length,
      'a2a.park.for_children': wait.children !== undefined,
      'a2a.park.questions': wait.asks?.open.length ?? 0,
    },
  });
  return tracedInside('agent.park', options, async (span) => {
    const outcome = await park(wait);
    span?.setAttribute('a2a.park.outcome', outcome);
    return outcome;
  });
}

interface Ended {
  readonly attributes: Attributes;
  readonly outcome: string;
  readonly begunAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A span inside the run that observes the end, with the times of the ended work. */
function endedSpan(name: string, run: ClaimedRun, { attributes, outcome, begunAt, endedAt }: Ended): void {
  if (trace.getActiveSpan()?.isRecording() !== true) return;
  const startTime = begunAt === undefined ? {} : { startTime: begunAt };
  const span = beginSpan(name, {
    ...startTime,
    attributes: { ...idsOf(run), ...attributes, 'a2a.outcome': outcome },
  });
  if (outcome !== 'completed' && outcome !== 'answered')
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', outcome);
  span.end(endedAt);
}

function idsOf(run: ClaimedRun): Attributes {
  return { 'a2a.task.id': run.taskId, 'a2a.root.id': rootOf(run), 'a2a.skill.id': run.skillId };
}

function rootOf({ taskId, traits }: ClaimedRun): string {
  return traits.tree?.root ?? taskId;
}
