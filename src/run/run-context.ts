import type { Logger } from '@nestjs/common';
import type { SkillContext, SkillLog, SkillState } from '../skill/skill.js';
import { turnContent } from '../skill/turn-content.js';
import type { ContextStore } from '../task/context.store.js';
import type { ClaimedRun, RunStore } from '../task/run.store.js';
import { traced } from '../platform/tracing/traced.js';

/** The run lost its task while it wrote: another run has it, or it was canceled. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly contexts: ContextStore;
  readonly turn: { readonly signal: AbortSignal };
  readonly deadline?: Date;
  readonly logger: Logger;
}

/** What a skill sees of its task. What only some skills look at is made when it is asked for. */
export function runContext(sources: RunContextSources): SkillContext {
  const { run, turn, deadline } = sources;
  let content: TurnContent | undefined;
  const turnContentOnce = (): TurnContent => (content ??= turnContent(run.messages));
  return {
    ...plainPart(run),
    get text() {
      return turnContentOnce().text;
    },
    get data() {
      return turnContentOnce().data;
    },
    get files() {
      return turnContentOnce().files;
    },
    get principal() {
      const { tenant, client, subject } = run;
      return { tenant, client, ...(subject === '' ? {} : { subject }) };
    },
    get state() {
      return taskState(sources);
    },
    get contextState() {
      return sources.contexts.of(run.owner, run.contextId);
    },
    get signal() {
      return turn.signal;
    },
    ...(deadline === undefined ? {} : { deadline }),
    get log() {
      return skillLog(sources);
    },
    step: (name, work) => step(sources, name, work),
  };
}

function plainPart(run: ClaimedRun) {
  const { taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes } = run;
  return {
    ...{ taskId, contextId, turn, attempt, messages, history, metadata, acceptedOutputModes },
    idempotencyKey: `${taskId}:${String(turn)}`,
    // Read and checked by the registered skill, which knows its contract.
    input: undefined,
  };
}

type TurnContent = ReturnType<typeof turnContent>;

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
