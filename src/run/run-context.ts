import type { Logger } from '@nestjs/common';
import type { Message } from '../protocol/message.js';
import type { SkillContext, SkillLog, SkillPrincipal, SkillState } from '../skill/skill.js';
import { turnContent } from '../skill/turn-content.js';
import type { RunMemory } from './run-memory.js';
import type { ClaimedRun, RunStore } from '../task/run.store.js';
import { traced } from '../platform/tracing/traced.js';

/** The run lost its task while it wrote: another run has it, or it was canceled. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly turn: { readonly signal: AbortSignal };
  readonly deadline?: Date;
  readonly logger: Logger;
}

/** The `SkillContext` of a run. Members that few skills use are created on first access. */
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
      return principalOf(run);
    },
    senders: () => sendersOf(sources),
    get state() {
      return taskState(sources);
    },
    get contextState() {
      return sources.memory.contexts.of(run.owner, run.contextId);
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

function principalOf({ tenant, client, subject }: ClaimedRun): SkillPrincipal {
  return { tenant, client, ...(subject === '' ? {} : { subject }) };
}

/** The first message of a task is its creator's; the sender of each further one was recorded with it. */
async function sendersOf({ run, memory }: RunContextSources): ReturnType<SkillContext['senders']> {
  const [first] = run.history;
  const isFirst = ({ messageId }: Message): boolean => run.turn === 1 && messageId === first?.messageId;
  const recorded = await memory.senders.of(run.taskId, run.messages);
  return run.messages.map((message, at) => recorded[at] ?? (isFirst(message) ? principalOf(run) : undefined));
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
