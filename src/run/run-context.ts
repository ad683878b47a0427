import type { Logger } from '@nestjs/common';
import type { Message } from '../protocol/message.js';
import type { JsonObject } from '../protocol/json.js';
import type { SharedState, SkillContext, SkillLog, SkillPrincipal, SkillState } from '../skill/skill.js';
import { turnContent } from '../skill/turn-content.js';
import type { RunMemory } from './run-memory.js';
import type { ClaimedRun, RunStore } from '../task/run.store.js';
import { contextStateOf, runStep, taskState } from './run-values.js';
import type { TurnWaits } from './turn-waits.js';

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly turn: { readonly signal: AbortSignal; readonly waits: TurnWaits };
  readonly logger: Logger;
}

type TurnContent = ReturnType<typeof turnContent>;

/** The `SkillContext` of a run. Getters of the class: each run has one, and few skills use more than two of its members. */
export class RunContext implements SkillContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly messages: readonly Message[];
  readonly history: readonly Message[];
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  /** Read and checked by the registered skill, which knows its contract. */
  readonly input = undefined;
  private content: TurnContent | undefined;

  constructor(
    private readonly sources: RunContextSources,
    readonly deadline?: Date,
  ) {
    const { run } = sources;
    this.taskId = run.taskId;
    this.contextId = run.contextId;
    this.turn = run.turn;
    this.attempt = run.attempt;
    this.messages = run.messages;
    this.history = run.history;
    this.metadata = run.metadata;
    this.acceptedOutputModes = run.acceptedOutputModes;
  }

  get idempotencyKey(): string {
    return `${this.taskId}:${String(this.turn)}`;
  }

  get text(): string {
    return this.sorted.text;
  }

  get data(): readonly unknown[] {
    return this.sorted.data;
  }

  get files(): SkillContext['files'] {
    return this.sorted.files;
  }

  get principal(): SkillPrincipal {
    return principalOf(this.sources.run);
  }

  get senders(): SkillContext['senders'] {
    return () => sendersOf(this.sources);
  }

  get state(): SkillState {
    return taskState(this.sources);
  }

  get contextState(): SharedState {
    return contextStateOf(this.sources);
  }

  get signal(): AbortSignal {
    return this.sources.turn.signal;
  }

  get log(): SkillLog {
    return skillLog(this.sources);
  }

  // Skills take the functions of their context apart from it: `run({ step })`.
  get step(): SkillContext['step'] {
    return (name, work) => runStep(this.sources, name, work);
  }

  get sleep(): SkillContext['sleep'] {
    return (ms) => this.sources.turn.waits.sleep(ms);
  }

  get waitFor(): SkillContext['waitFor'] {
    return (options) => this.sources.turn.waits.waitFor(options);
  }

  get now(): SkillContext['now'] {
    return () => this.sources.turn.waits.now();
  }

  get random(): SkillContext['random'] {
    return () => this.sources.turn.waits.random();
  }

  private get sorted(): TurnContent {
    return (this.content ??= turnContent(this.messages));
  }
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

/** A repeated run does not say again what the run before it has said. */
function skillLog({ run, logger, turn }: RunContextSources): SkillLog {
  const ids = { taskId: run.taskId, contextId: run.contextId, skill: run.skillId };
  return {
    info: (message, fields) => {
      if (turn.waits.replay.isReplaying) return;
      logger.log({ ...fields, ...ids, event: 'skill.said', message });
    },
    warn: (message, fields) => {
      if (turn.waits.replay.isReplaying) return;
      logger.warn({ ...fields, ...ids, event: 'skill.said', message });
    },
  };
}
