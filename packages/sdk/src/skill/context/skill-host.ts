import type { Message } from '@parley/protocol/model/message.js';
import type { SkillArtifacts } from '../artifacts/skill-artifacts.js';
import type { GroupMaker } from '../calls/skill-calls.js';
import type { CallOutcome, CallSpec } from '../calls/call.js';
import type { Reserve } from '../model-use.js';
import type { ArtifactEvent } from '../events.js';
import type { Publication } from '../publication.js';
import type { QuestionMaker } from '../questions/ask.js';
import type { Said, WantedConversation } from './conversation.js';
import type { StoredScope } from '../shared/scope.js';
import type { SharedState, SkillContext, SkillState } from '../skill.js';
import type { Catalog } from '../start-check.js';
import type { ToolRun } from '../tools/skill-tools.js';
import type { StepOptions } from '../undo.js';

/** The data of a turn. */
export interface TurnFacts extends Pick<
  SkillContext,
  | 'taskId'
  | 'rootId'
  | 'contextId'
  | 'turn'
  | 'attempt'
  | 'idempotencyKey'
  | 'messages'
  | 'history'
  | 'metadata'
  | 'acceptedOutputModes'
  | 'principal'
> {
  /** Messages of its own history that the parent of a called skill passes on. */
  readonly parentHistory: readonly Message[];
  readonly deadline?: Date | undefined;
  readonly isSimulated?: true | undefined;
}

/** A skill that is to run within the turn of another one. */
export type InlineCall = Pick<CallSpec, 'key' | 'skillId' | 'input'>;

/**
 * The services behind the context of a skill. Each kind of run has a host: a run of a task, a direct answer, a sandbox, a test.
 * The context (`HostedContext`) does the rest. It refuses members that a host leaves out.
 */
export interface SkillHost {
  /** The kind of run, as errors name it. */
  readonly kind: string;
  readonly facts: TurnFacts;
  readonly signal: AbortSignal;
  /** Identity of the run under way: members that count begin anew with each. Default: the host. */
  readonly run?: object;
  readonly senders: SkillContext['senders'];
  readonly state: SkillState;
  readonly shared: (scope: StoredScope) => SharedState;
  readonly log: SkillContext['log'];
  readonly fetch: SkillContext['fetch'];
  /** Runs work once; its result is stored. */
  readonly step: <T>(name: string, work: () => Promise<T>, options: StepOptions<T>) => Promise<T>;
  readonly sleep: SkillContext['sleep'];
  readonly now: SkillContext['now'];
  readonly random: SkillContext['random'];
  /** Called once in each run: tools count their calls. */
  readonly tools: (run: Omit<ToolRun, 'servers' | 'declared' | 'refusal'>) => SkillContext['tools'];
  readonly waitFor?: SkillContext['waitFor'];
  readonly ask?: QuestionMaker;
  readonly calls?: GroupMaker;
  /** Takes an event of the run with its number in the turn, from 1. */
  readonly publish?: (publication: Publication, number: number) => void;
  readonly artifacts?: SkillArtifacts;
  /** Streams a piece of an artifact that the skill does not yield. Left out where no stream can follow. */
  readonly live?: ((event: ArtifactEvent) => void) | undefined;
  /** The last ended tasks of the context, oldest first. Left out where there can be none, and for a called skill. */
  readonly conversation?: ((wanted: WantedConversation) => Promise<readonly Said[]>) | undefined;
  /** The language model of the service (`Model`); `llm` steps ask it. */
  readonly model?: object | undefined;
  /** The skills of the service, for tools that are made of them. */
  readonly catalog?: Catalog | undefined;
  /** Reserves tokens of language models; left out where no limit applies. */
  readonly reserve?: Reserve;
  /** Runs a skill within the turn, as the work of a step; left out where skills can only be called. */
  readonly inline?: (call: InlineCall) => Promise<CallOutcome>;
  /** Waits up to the given ms. Resolves with whether a hint about the mirrored task ended the wait. */
  readonly waitForHint?: (ms: number) => Promise<boolean>;
}

/** The host of a context. Not for authors. */
export const HOST = Symbol('The host of a context');

/** The host of a context; empty for an object without one, as a test may make it. */
export function hostOf(context: object): Partial<SkillHost> {
  return (Reflect.get(context, HOST) as SkillHost | undefined) ?? {};
}

/** A member of the host of a context. @throws NotSupported where the host has none */
export function hosted<Name extends keyof SkillHost>(context: object, name: Name): NonNullable<SkillHost[Name]> {
  const host = hostOf(context);
  const member = host[name];
  if (member === undefined) throw new NotSupported(name, host.kind ?? 'this context');
  return member;
}

/** The identity of the run of a context: counters of a skill in it begin anew with each run of the turn. */
export function runOf(context: object): object {
  const host = Reflect.get(context, HOST) as SkillHost | undefined;
  return host?.run ?? host ?? context;
}

/** A member of the context that its kind of run cannot have. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported';

  constructor(member: string, kind: string) {
    super(`${member} is not supported in ${kind}`);
  }
}
