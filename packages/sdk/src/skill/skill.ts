import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, RawPart, UrlPart } from '@parley/protocol/model/message.js';
import type { SkillCalls } from './calls/call.js';
import type { ObjectSchema } from './contract/object-schema.js';
import type { SkillArtifacts } from './artifacts/skill-artifacts.js';
import type { SkillEvent } from './events.js';
import type { Reducers } from './shared/reducer.js';
import type { Scope } from './shared/scope.js';
import type { Publish } from './publication.js';
import type { SkillFetch } from './requests/skill-request.js';
import type { DeclaredTools, SkillTools } from './tools/skill-tool.js';
import type { Ask } from './questions/question.js';
import type { StepOptions } from './undo.js';

export { SkillFailure, SkillRejection } from './skill-failure.js';

/** The card entry of a skill and the rules that it runs by. */
export interface SkillOptions {
  /** Stable name in the card, in `metadata.skillId` and in scopes; lower case, digits, `_`, `-`. */
  readonly id: string;
  /** Its name for people, in the card. */
  readonly name: string;
  /** Its purpose, for people, agents and models that choose a skill. Part of the card. */
  readonly description: string;
  /** Keywords of the card. */
  readonly tags: readonly string[];
  /** Requests that it answers, for the card. Default: none. */
  readonly examples?: readonly string[];
  /** Media types that it reads, or ranges such as `image/*`; default `text/plain`. */
  readonly inputModes?: readonly string[];
  /** Media types that it writes, or ranges; default `text/plain`. */
  readonly outputModes?: readonly string[];
  /**
   * The typed input of a task, as a class with class-validator decorators. It is validated before any task is created;
   * initial values of its members are defaults. `contract/skill-input.ts` has the locations of the input in a request.
   */
  readonly input?: Contract;
  /** Validates every data part of a complete artifact; invalid output is never sent, and the task fails. */
  readonly output?: Contract;
  /** Keys of the memory that callers lend with a message, as globs: `*` is any number of characters. Default: none. */
  readonly memory?: SkillMemory;
  /** Conditions of success that a caller may name: each is a JSON Schema that the output must fit. */
  readonly conditions?: Readonly<Record<string, JsonObject>>;
  /**
   * The effects of a run outside of the service; default unknown. `irreversible`: they cannot be undone, as a payment; a flow must
   * declare the approval of the call.
   */
  readonly effects?: 'none' | 'reversible' | 'irreversible';
  /**
   * Its answer in debug mode, in which no remote or irreversible call is made: the data or the text of its artifact, or a function of its
   * input. `run`: it runs, since other skills do all of its work outside. Default: an irreversible skill, and one that reaches out,
   * answers with an example of its `output`; any other runs, and no request of it leaves the service.
   */
  readonly simulate?: 'run' | JsonObject | ((input: unknown) => JsonObject | string);
  /**
   * Answers with a Message, without a task: runs once, at once, in the process that received the request, and is not
   * repeated after a crash. For answers of a second or less.
   */
  readonly direct?: boolean;
  /**
   * The version of its code; default 0. A change that waiting tasks cannot repeat needs the next version, and the old class among
   * `previous`: a task is run by the version that it has begun with.
   */
  readonly version?: number;
  /** Its earlier versions, in which tasks may still wait. Each has the same id; a pack does not export them. */
  readonly previous?: readonly SkillClass[];
  /** Maximum concurrent turns of this skill in one worker process; more wait. Default: no limit. */
  readonly concurrency?: number;
  /** Time limit of one run of one turn, in milliseconds; then `signal` aborts and the task fails. Not retried. */
  readonly timeoutMs?: number;
  /**
   * Maximum runs of one turn that fail, and as many that are lost with their process; `SkillFailure` is never retried. 1: no retry.
   * Default: the limit of the service.
   */
  readonly maxAttempts?: number;
  /** Scopes that the caller's token must have, all of them; without them the call is refused before any task exists. Default: none. */
  readonly scopes?: readonly string[];
  /**
   * `service`: it may call skills that the caller of its task may not call, where a rule of the policy allows them to the caller
   * `service://<id>`. Default: a child task inherits at most the caller's permissions.
   */
  readonly actsAs?: 'service';
  /**
   * Runs each turn in its own process, so that CPU-bound work does not block other runs, and a crash or a full memory does
   * not end them. The class can have no constructor parameters; the process is killed at the end of the turn.
   */
  readonly sandboxed?: boolean;
  /**
   * Members of its input that name skills which it calls. A caller that may not call one of them is refused before any task exists.
   */
  readonly callsNamed?: readonly string[];
  /**
   * The agent or tool behind the skill, as the policy names it: `remote:finance`, `tool:files/echo`. Set by the service for exposed
   * entries of AGENTS_FILE and MCP_SERVERS_FILE; rules about that name count for the skill too.
   */
  readonly aliasOf?: string;
  /** Whether it calls systems outside of this service. Default: unknown. */
  readonly reachesOut?: boolean;
  /** Tools of MCP servers that it calls, by the server's name in MCP_SERVERS_FILE. A tool that is not listed there stops the start. */
  readonly tools?: DeclaredTools;
  /** Its form as an MCP tool, where the defaults do not fit. */
  readonly mcp?: McpToolOptions;
  /**
   * Types of events that it subscribes to, as globs: each event of such a type that a task publishes (`context.publish`) begins one task
   * of the skill, for the same caller, with the data of the event as its input.
   */
  readonly on?: string | readonly string[];
  /**
   * Reducers by name: each makes one value of `shared()` of those that several children wrote at the same time. Without one,
   * different values fail the call.
   */
  readonly reducers?: Reducers;
  /** Dependencies of its constructor (classes, values, factories), as in a Nest module. */
  readonly providers?: readonly SkillProvider[];
}

/** Token of a dependency: its class, or a word. */
export type ProviderToken = string | symbol | (abstract new (...args: never[]) => object);

/** A dependency of a skill: a class, or how a value for a token is made. The service hands it to Nest, whose provider it is. */
export type SkillProvider =
  | (new (...args: never[]) => object)
  | { readonly provide: ProviderToken; readonly useValue: unknown }
  | { readonly provide: ProviderToken; readonly useClass: new (...args: never[]) => object }
  | { readonly provide: ProviderToken; readonly useExisting: ProviderToken }
  | {
      readonly provide: ProviderToken;
      readonly useFactory: (...args: never[]) => unknown;
      readonly inject?: ProviderToken[];
    };

/** A skill as an MCP tool. */
export interface McpToolOptions {
  /** The artifact that is the structured result, where the skill makes several with data. */
  readonly result?: string;
  /**
   * When a client that knows the tasks extension gets a task handle. `slow` (default): when the call outlasts
   * mcp.taskAfterMs of parley.yaml; `always`: at once; `required`: at once, and other clients are refused.
   */
  readonly task?: 'slow' | 'always' | 'required';
  /** Effect of a person's refusal to answer: cancels the task (default), or begins a turn with `{ action: 'decline' }`. */
  readonly onDecline?: 'cancel' | 'turn';
  /** Client capabilities without which the skill cannot work: a call without them is refused at once. */
  readonly requires?: JsonObject;
}

/** Use of its callers' memory by a skill. */
export interface SkillMemory {
  /** Names of the values of its caller, and of shared values, that it gets. */
  readonly reads?: readonly string[];
  /** Names of shared values that it may set; absent: all. */
  readonly writes?: readonly string[];
}

/** A class for validated JSON, with class-validator decorators and a constructor without arguments. */
export type DtoClass<T extends object = object> = new () => T;

/** Contract of JSON: a class whose instances are valid, or a JSON Schema of another service. */
export type Contract = DtoClass | ObjectSchema;

/** A caller, as far as a skill may know. */
export interface SkillPrincipal {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
}

/** The authenticated sender of one message of a turn. */
export interface SkillSender extends SkillPrincipal {
  /** Scopes of the credential; absent for the message that began the task, which the skill's own `scopes` let in. */
  readonly scopes?: readonly string[];
}

/** Values that outlive a turn, by name. Values are JSON; a write is stored when its promise resolves. */
export interface SkillState {
  readonly get: (name: string) => Promise<unknown>;
  readonly set: (name: string, value: unknown) => Promise<void>;
}

/** Values that several tasks write at the same time: the last write wins. */
export interface SharedState extends SkillState {
  /** Stores the value unless one exists. Returns the stored value: concurrent calls get the same. */
  readonly setIfAbsent: (name: string, value: unknown) => Promise<unknown>;
}

/** Purpose of a wait for a message. */
export interface WaitOptions {
  /** Only a message with this `metadata.signal` ends the wait; default: the next message of the task. */
  readonly signal?: string;
  /** When the wait ends without a message, ms. Default: as long as a question waits for its answer. */
  readonly timeoutMs?: number;
}

/** A message that a skill has waited for. */
export interface Received {
  readonly message: Message;
  /** Its text parts, joined by line breaks. */
  readonly text: string;
  /** Its data parts' values. */
  readonly data: readonly unknown[];
  /** Its raw and url parts. */
  readonly files: readonly (RawPart | UrlPart)[];
  /** The sender; absent for an unknown one, which must not be trusted. */
  readonly sender?: SkillSender;
}

/** One line of the service's log, with the task's ids added. Never put message bodies or secrets here. */
export interface SkillLog {
  readonly info: (message: string, fields?: JsonObject) => void;
  readonly warn: (message: string, fields?: JsonObject) => void;
}

/**
 * The context of one turn: messages, state, calls and waits. `Input` is the input class of the skill. Most members are made at their
 * first use: take members by their names, or derive a context with `Object.create(context, …)`; `{ ...context }` copies few of them.
 */
export interface SkillContext<Input = unknown> extends SkillCalls {
  /** The id of the task, as the caller sees it. */
  readonly taskId: string;
  /** The task at the root of its tree: its own id for a task that a caller has begun. */
  readonly rootId: string;
  /** The id of the context, as the caller sees it. */
  readonly contextId: string;
  /** 1 for the first turn; each answer to INPUT_REQUIRED or AUTH_REQUIRED begins the next. */
  readonly turn: number;
  /** 1 for the first run of this turn; higher when an earlier run was lost. */
  readonly attempt: number;
  /** The same for every run of this turn: pass it to external systems, so that a repeated run does nothing twice. */
  readonly idempotencyKey: string;
  /** The messages that began this turn, oldest first. */
  readonly messages: readonly Message[];
  /**
   * Returns the sender of each of `messages`, in their order. Use it to check whether a sender may decide or confirm:
   * `principal` is the caller that created the task. Undefined for an unknown sender, which must not be trusted.
   */
  readonly senders: () => Promise<readonly (SkillSender | undefined)[]>;
  /** Their text parts, joined by line breaks. */
  readonly text: string;
  /** Their data parts' values. */
  readonly data: readonly unknown[];
  /** Their raw and url parts. */
  readonly files: readonly (RawPart | UrlPart)[];
  /** The validated input of the task, with defaults; the same in every turn. Undefined for a skill without `input`. */
  readonly input: Input;
  /** The task is simulated, in debug mode: `context.fetch` refuses, and other skills, tools and models are simulated too. */
  readonly isSimulated?: true;
  /** All messages of this task so far, those of this turn included. */
  readonly history: readonly Message[];
  /** The metadata of the request that created the task, and of those that continued it. */
  readonly metadata: JsonObject;
  /** Media types that the caller accepts; empty: any. */
  readonly acceptedOutputModes: readonly string[];
  /** The caller that began the task. */
  readonly principal: SkillPrincipal;
  /** The name of the caller that began the call, as the context of its message has it: verified. Absent without one. */
  readonly caller?: string | undefined;
  /** The caller's id of the trace, from the context of its message. */
  readonly traceId?: string | undefined;
  /** The caller's id of the request, from the context of its message. */
  readonly requestId?: string | undefined;
  /** The permissions that the context of its message names. */
  readonly permissions?: readonly string[] | undefined;
  /** JSON values of this task, kept from turn to turn. */
  readonly state: SkillState;
  /**
   * JSON values that tasks share, by scope. Default `tree`: a child sees the values that its parent had at the call, and its own values
   * reach the parent with its result. `context`: all of this caller's tasks in the context, at most 1 MiB; `user`: all tasks of the
   * caller; `app`: all tasks of the tenant, set by operators; `temp`: this turn. Read only: `caller`, the values that the caller lends
   * with its message and the contract's `memory.reads` names; `parent`, whose value `history` has the messages that the parent of a
   * called skill passes to it (`call(…, { history })`), none by default.
   */
  readonly shared: (scope?: Scope) => SharedState;
  /** Content that is stored once in the tree and passed by reference, and the tasks that messages refer to. */
  readonly artifacts: SkillArtifacts;
  /** Aborts on cancel, on timeout and on shutdown. */
  readonly signal: AbortSignal;
  /** The time at which `signal` aborts this run; absent without a time limit. */
  readonly deadline?: Date;
  /** Writes to the log of the service, with the ids of the task. */
  readonly log: SkillLog;
  /** Requests another service: traced, to allowed addresses, ended by `signal`, retried. Writes belong into a `step`. */
  readonly fetch: SkillFetch;
  /** Calls the tools of MCP servers that the skill declares. Each call is a step: it is made once. */
  readonly tools: SkillTools;
  /**
   * Runs `work` once per turn: its JSON result is journaled, and a repeated run after a crash gets that result instead. With
   * `undo`, a skill undoes the work if the task fails or is canceled later.
   */
  readonly step: <T>(name: string, work: () => Promise<T>, options?: StepOptions<T>) => Promise<T>;
  /**
   * Waits at least `ms`, up to a year. Beyond a moment (50 ms) the task is parked meanwhile and holds no slot, process or
   * lease: `run` is called again from its start afterwards, and earlier calls get their results from the journal.
   */
  readonly sleep: (ms: number) => Promise<void>;
  /** Waits for a message to this task, likewise; undefined when none came in time. A message that ends a wait begins no turn. */
  readonly waitFor: (options?: WaitOptions) => Promise<Received | undefined>;
  /**
   * Asks the caller, and resolves with the answer: the task shows INPUT_REQUIRED meanwhile, is parked, and the turn continues
   * here. Several questions may be open at once. A question of a child is shown by the root of its tree too.
   */
  readonly ask: Ask;
  /**
   * Announces an event, `publish('invoice.approved', { id })`: it is stored with the next event of the task, its next wait or its end,
   * or not at all, and begins one task of each skill that subscribes to its type. A repeated run must publish the same events.
   */
  readonly publish: Publish;
  /** The time, ms since 1970: the same in every run of the turn. Use it in place of `Date.now()` in a skill that waits. */
  readonly now: () => Promise<number>;
  /** A random number from 0 to 1: the same in every run of the turn. */
  readonly random: () => Promise<number>;
}

/** A skill: one turn of one task per call. Returning completes the task; see `events.ts` for the events to yield. */
export interface SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void>;
}

export type SkillClass = new (...dependencies: never[]) => SkillHandler;

const OPTIONS = new WeakMap<object, SkillOptions>();

/** Declares a class as a skill. A pack of SKILLS must export it. */
export function Skill(options: SkillOptions): (target: SkillClass) => void {
  return (target) => {
    OPTIONS.set(target, options);
  };
}

/** The options given to `@Skill`, or undefined for a class without it. */
export function skillOptionsOf(target: object): SkillOptions | undefined {
  return OPTIONS.get(target);
}

/** A skill as a flow names it: by its id, or by its class. */
export type SkillRef = string | SkillClass;

/** @throws TypeError for a class without `@Skill` */
export function idOf(target: SkillRef): string {
  const id = typeof target === 'string' ? target : skillOptionsOf(target)?.id;
  if (id === undefined) throw new TypeError(`${String(target)} is no skill: it has no @Skill`);
  return id;
}
