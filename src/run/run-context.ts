import type { Logger } from '@nestjs/common';
import type { SkillContext, SkillLog, SkillPrincipal, SkillState } from '../skill/skill.js';
import { turnContent } from '../skill/turn-content.js';
import type { ContextStore } from '../task/context.store.js';
import type { ClaimedRun, RunStore } from '../task/run.store.js';
import { sendersIn, withoutSenders } from '../task/message-senders.js';
import { traced } from '../platform/tracing/traced.js';

/** The run lost its task while it wrote: another run has it, or it was canceled. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly contexts: ContextStore;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** Builds what a skill sees of its task. */
export function runContext(sources: RunContextSources): SkillContext {
  const { run, signal } = sources;
  return {
    taskId: run.taskId,
    contextId: run.contextId,
    turn: run.turn,
    attempt: run.attempt,
    idempotencyKey: `${run.taskId}:${String(run.turn)}`,
    messages: run.messages,
    senders: sendersOf(run),
    ...turnContent(run.messages),
    // Read and checked by the registered skill, which knows its contract.
    input: undefined,
    history: run.history,
    metadata: withoutSenders(run.metadata),
    acceptedOutputModes: run.acceptedOutputModes,
    principal: principalOf(run),
    state: taskState(sources),
    contextState: sources.contexts.of(run.owner, run.contextId),
    signal,
    log: skillLog(sources),
    step: (name, work) => step(sources, name, work),
  };
}

function principalOf({ tenant, client, subject }: ClaimedRun): SkillPrincipal {
  return { tenant, client, ...(subject === '' ? {} : { subject }) };
}

/** Recorded with each message; the first one of a task is its creator's, whether it was recorded or not. */
function sendersOf(run: ClaimedRun): SkillContext['senders'] {
  const senders = sendersIn(run.metadata);
  const [first] = run.history;
  return run.messages.map(
    ({ messageId }) =>
      senders[messageId] ??
      (run.turn === 1 && messageId === first?.messageId ? { ...principalOf(run), scopes: [] } : undefined),
  );
}

function taskState({ run, store }: RunContextSources): SkillState {
  return {
    async get(name) {
      const text = await store.readState(run, name);
      return text === null ? undefined : (JSON.parse(text) as unknown);
    },
    async set(name, value) {
      if (!(await store.write(run, 'state', name, JSON.stringify(value ?? null)))) throw new RunLost();
    },
  };
}

/** The name is an attribute and not the name of the span: skills may make up names by the dozen. */
function step<T>({ run, store }: RunContextSources, name: string, work: () => Promise<T>): Promise<T> {
  return traced(
    'skill.step',
    () => ({ attributes: { 'a2a.step.name': name } }),
    async (span) => {
      const journalled = await store.readStep(run, name);
      span.setAttribute('a2a.step.journalled', journalled !== null);
      if (journalled !== null) return (JSON.parse(journalled) as { value: T }).value;
      const value = await work();
      if (!(await store.write(run, 'steps', name, JSON.stringify({ value })))) throw new RunLost();
      return value;
    },
  );
}

function skillLog({ run, logger }: RunContextSources): SkillLog {
  const ids = { taskId: run.taskId, contextId: run.contextId, skill: run.skillId };
  return {
    info: (message, fields) => {
      logger.log({ ...fields, ...ids, event: 'skill.said', message });
    },
    warn: (message, fields) => {
      logger.warn({ ...fields, ...ids, event: 'skill.said', message });
    },
  };
}
