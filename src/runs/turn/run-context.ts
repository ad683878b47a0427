import type { Logger } from '@nestjs/common';
import type { Message } from '@parley/protocol/model/message.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SharedState, SkillContext, SkillLog, SkillPrincipal, SkillState } from '@parley/sdk/skill/skill.js';
import { NO_SIMULATED_REQUESTS } from '@parley/sdk/skill/simulation/simulated-requests.js';
import { simulatedTools } from '@parley/sdk/skill/simulation/simulated-tools.js';
import { skillFetch } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { SkillFetch, SkillRequests } from '@parley/sdk/skill/requests/skill-request.js';
import { parentHistoryOf, type SkillArtifacts } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import { HINT_WAIT, type HintWait } from '../../skill/hint-wait.js';
import type { SkillTools } from '@parley/sdk/skill/tools/skill-tool.js';
import { skillTools, type ToolRun } from '@parley/sdk/skill/tools/skill-tools.js';
import { LIVE_STEP, type LiveStep } from '@parley/sdk/skill/live-step.js';
import { type Reserve, RESERVE_USE } from '@parley/sdk/skill/model-use.js';
import type { SkillCalls } from '@parley/sdk/skill/calls/call.js';
import { type CallingContext, GROUP_MAKER, type GroupMaker, skillCalls } from '@parley/sdk/skill/calls/skill-calls.js';
import { INLINE_MAKER, type InlineMaker } from '@parley/sdk/skill/calls/inline.js';
import { QUESTION_MAKER, type QuestionMaker, skillAsk } from '@parley/sdk/skill/questions/ask.js';
import type { Ask } from '@parley/sdk/skill/questions/question.js';
import type { SkillRegistry } from '../../skill/skill.registry.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import { type Publish, skillPublish } from '@parley/sdk/skill/publication.js';
import type { SkillTurn } from './skill-turn.js';
import type { RunMemory } from './run-memory.js';
import { type CallNames, callNamesOf } from '@parley/protocol/extension/context-extension.js';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { runInline } from './inline-skill.js';
import { contextStateOf, runStep, sharedOf, taskState } from './run-values.js';
import type { TurnWaits } from '../calls/turn-waits.js';

export interface RunContextSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly skills: SkillRegistry;
  readonly requests: SkillRequests;
  readonly tools: Pick<ToolRun, 'servers' | 'declared' | 'refusal'>;
  readonly turn: Pick<SkillTurn, 'signal' | 'waits' | 'publish'>;
  readonly deadline?: Date;
  readonly logger: Logger;
}

/** The `SkillContext` of a run. */
export function runContext(sources: RunContextSources): CallingContext {
  return new RunContext(sources);
}

/**
 * A class with getters: a run uses few members, and each is created on access. Functions are created on access too, so
 * that a skill can use them detached from the context.
 */
class RunContext implements CallingContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly messages: readonly Message[];
  readonly history: readonly Message[];
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  // Read and checked by the registered skill, which knows its contract.
  readonly input = undefined;
  readonly memory: JsonObject = {};
  readonly deadline?: Date;
  readonly isSimulated?: true;
  private content: TurnContent | undefined;
  private requesting: SkillFetch | undefined;
  private calling: SkillCalls | undefined;
  private announcing: Publish | undefined;
  private toolCalls: SkillTools | undefined;
  private sharing: SharedState | undefined;

  constructor(private readonly sources: RunContextSources) {
    const { run } = sources;
    this.taskId = run.taskId;
    this.contextId = run.contextId;
    this.turn = run.turn;
    this.attempt = run.attempt;
    this.messages = run.messages;
    this.history = run.history;
    this.metadata = run.metadata;
    this.acceptedOutputModes = run.acceptedOutputModes;
    if (sources.deadline !== undefined) this.deadline = sources.deadline;
    if (run.isSimulated) this.isSimulated = true;
  }

  get rootId(): string {
    return this.sources.run.traits.tree?.root ?? this.taskId;
  }

  get idempotencyKey(): string {
    return idempotencyKeyOf(this.sources.run);
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

  get caller(): string | undefined {
    return this.names.caller;
  }

  get traceId(): string | undefined {
    return this.names.traceId;
  }

  get requestId(): string | undefined {
    return this.names.requestId;
  }

  get permissions(): readonly string[] | undefined {
    return this.names.permissions;
  }

  private get names(): CallNames {
    return callNamesOf(this.history[0]);
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

  /** Created once: it holds the values of the turn. */
  get shared(): SharedState {
    return (this.sharing ??= sharedOf(this.sources));
  }

  get artifacts(): SkillArtifacts {
    return this.waits.tree.artifacts;
  }

  get references(): SkillContext['references'] {
    return this.waits.tree.artifacts.references;
  }

  get parentHistory(): readonly Message[] {
    // Only a parent passes a history on: a root has none.
    return this.sources.run.traits.tree === undefined ? [] : parentHistoryOf(this.history[0]);
  }

  get signal(): AbortSignal {
    return this.sources.turn.signal;
  }

  get log(): SkillLog {
    return skillLog(this.sources);
  }

  get step(): SkillContext['step'] {
    return (name, work, options) => runStep(this.sources, { ...options, name }, work);
  }

  get [LIVE_STEP](): LiveStep {
    const live: SkillContext['step'] = (name, work, options) =>
      runStep(this.sources, { ...options, name, isLive: true }, work);
    return () => (this.waits.isFresh ? live : undefined);
  }

  get [RESERVE_USE](): Reserve {
    return (wanted) => this.sources.memory.trees.budget.reserve(this.sources.run, wanted);
  }

  get fetch(): SkillFetch {
    const { run, requests, turn } = this.sources;
    return (url, request) => {
      const sending = run.isSimulated ? NO_SIMULATED_REQUESTS : requests;
      this.requesting ??= skillFetch(sending, { idempotencyKey: idempotencyKeyOf(run), signal: turn.signal });
      return this.requesting(url, request);
    };
  }

  /** Created once: it counts the tool calls of the run, which names them. */
  get tools(): SkillTools {
    return (this.toolCalls ??= this.newTools());
  }

  get sleep(): SkillContext['sleep'] {
    return (ms) => this.waits.sleep(ms);
  }

  get waitFor(): SkillContext['waitFor'] {
    return (options) => this.waits.waitFor(options);
  }

  get now(): SkillContext['now'] {
    return () => this.waits.now();
  }

  get random(): SkillContext['random'] {
    return () => this.waits.random();
  }

  /** Created once: it counts the events of the run. */
  get publish(): Publish {
    return (this.announcing ??= skillPublish(this.sources.turn.publish));
  }

  get ask(): Ask {
    return skillAsk(this[QUESTION_MAKER]);
  }

  get [QUESTION_MAKER](): QuestionMaker {
    return (question, until) => this.waits.ask(question, until);
  }

  get [HINT_WAIT](): HintWait {
    return (ms) => this.waits.waitForHint(ms);
  }

  /** For a skill in another process, which creates its groups there. */
  get [GROUP_MAKER](): GroupMaker {
    return (group) => this.waits.calls.make(group);
  }

  get [INLINE_MAKER](): InlineMaker {
    const { run, skills, memory } = this.sources;
    const sources = { run, skills, policies: memory.contexts.policies };
    return (call) => this.step(`inline ${call.key}`, () => runInline(this, sources, call));
  }

  get call(): SkillCalls['call'] {
    return this.calls.call;
  }

  get transfer(): SkillCalls['transfer'] {
    return this.calls.transfer;
  }

  get all(): SkillCalls['all'] {
    return this.calls.all;
  }

  get map(): SkillCalls['map'] {
    return this.calls.map;
  }

  get first(): SkillCalls['first'] {
    return this.calls.first;
  }

  /** Created once: it counts the calls of the run, which names them. */
  private get calls(): SkillCalls {
    return (this.calling ??= skillCalls((group) => this.waits.calls.make(group), this.ask));
  }

  private newTools(): SkillTools {
    const { run, tools, turn } = this.sources;
    const of = { taskId: run.taskId, tenant: run.tenant, idempotencyKey: this.idempotencyKey };
    const { step, ask, call } = this;
    const servers = run.isSimulated ? simulatedTools(tools.servers) : tools.servers;
    return skillTools({ ...of, ...tools, servers, signal: () => turn.signal, step, ask, call });
  }

  private get sorted(): TurnContent {
    return (this.content ??= turnContent(this.messages));
  }

  private get waits(): TurnWaits {
    return this.sources.turn.waits;
  }
}

function idempotencyKeyOf({ taskId, turn }: ClaimedRun): string {
  return `${taskId}:${String(turn)}`;
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

/** A repeated run does not log the lines of the run before it again. */
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
