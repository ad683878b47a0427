import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { ReferencedTask } from '../skill/artifacts/skill-artifacts.js';
import type { Transferred } from '../skill/calls/transfer-path.js';
import type { Content } from '../skill/events.js';
import type { Said as SaidBefore } from '../skill/context/conversation.js';
import type { SkillRequest } from '../skill/requests/skill-request.js';
import type { SkillClass, SkillPrincipal, SkillSender } from '../skill/skill.js';
import type { AnswerSource } from './answers.js';
import type { ChildAnswer, SkillUnderTest } from './child-answer.js';
import type { Coming, Said } from './doubles/test-message.js';
import type { ModelRound, TestModels } from './doubles/test-models.js';
import type { TestTools } from './doubles/test-tools.js';
import type { RecordedRun } from './recorded-run.js';
import type { CrashAfter } from './waiting-run.js';

/** The input of a test run: a text, or any members of a turn. The rest is filled in. */
export interface SkillInput extends Said {
  readonly taskId?: string;
  readonly rootId?: string;
  readonly contextId?: string;
  /** Metadata of the request that created the task. */
  readonly metadata?: JsonObject;
  /** The messages before this turn. */
  readonly history?: readonly Message[];
  /** What was said in the context before: in its ended tasks. */
  readonly earlier?: readonly SaidBefore[];
  /** History that the parent of a called skill passes on. */
  readonly parentHistory?: readonly Message[];
  /** The ended tasks that the message refers to. */
  readonly references?: readonly ReferencedTask[];
  /** Targets of references: those of `artifacts.put` are added. */
  readonly artifacts?: Map<string, Content>;
  readonly turn?: number;
  readonly attempt?: number;
  readonly acceptedOutputModes?: readonly string[];
  /** The caller that began the task, and unless `sender` says otherwise the one that sent this turn's message. */
  readonly principal?: SkillPrincipal;
  /** The sender of this turn's message. */
  readonly sender?: SkillSender;
  readonly signal?: AbortSignal;
  readonly deadline?: Date;
  /** Kept by the caller, so that a test can inspect it or pass it to the next turn. */
  readonly state?: Map<string, unknown>;
  /** Values of `shared('context')`: kept like `state`. */
  readonly contextValues?: Map<string, unknown>;
  /** Values of `shared('app')`, which operators have set for the tenant. */
  readonly appValues?: ReadonlyMap<string, unknown>;
  /** Values of `shared()`, of the tree: those that the turn begins with, and then those that it leaves. */
  readonly shared?: Map<string, unknown>;
  /** Messages that come while the skill waits. */
  readonly coming?: readonly Coming[];
  /** The time at the start of the turn, ms since 1970. It passes only while the skill waits, and then at once. */
  readonly nowMs?: number;
  /** Called skills by their ids: their answers, or skills that are run. Skills that a flow names by their classes need no entry. */
  readonly children?: Readonly<Record<string, ChildAnswer | SkillUnderTest>>;
  /** Loses the run after this many results of its journal, or after each one, and runs the turn again from its journal. */
  readonly crashAfter?: CrashAfter;
  /** Answers `context.fetch`; without it a request fails. */
  readonly fetch?: (url: string, request: SkillRequest) => Response | Promise<Response>;
  /** Answers `context.tools`, by `server/tool`: a result, or a function of the arguments. Without it a call fails. */
  readonly tools?: TestTools;
  /** Other skills of the service, beside `children`: an agent may be offered them. */
  readonly skills?: readonly SkillClass[];
  /** The language model of `llm` steps and agents, or one for each role. Default: rules, as in a service without a model. */
  readonly models?: TestModels;
  /** Kept by the caller: the rounds of the models, as they come. */
  readonly rounds?: ModelRound[];
  /** The skill as a deploy changes it: runs in its place from the second run of the turn on. */
  readonly deploy?: SkillUnderTest;
  /** Callers' answers to the questions of the skill, in their order, or by question; undefined: no answer comes in time. */
  readonly answers?: AnswerSource;
  /** The hand-overs of the conversation that led to this turn. */
  readonly transfers?: readonly Transferred[];
  /** Answers from a recorded run of the turn: come before `children` and `answers` (`parley ops trace replay`). */
  readonly recorded?: RecordedRun;
  /** Results of `step` by name; give the map of a run that "crashed" to try the re-run. */
  readonly steps?: Map<string, unknown>;
}
