import type { JsonObject } from '../protocol/json.js';
import type { Message, RawPart, UrlPart } from '../protocol/message.js';
import type { SkillEvent } from './events.js';

/** The card entry of a skill and the rules that it runs by. */
export interface SkillOptions {
  /** Stable name in the card, in `metadata.skillId` and in scopes; lower case, digits, `_`, `-`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  /** Media types that it reads; default `text/plain`. */
  readonly inputModes?: readonly string[];
  /** Media types that it writes; default `text/plain`. */
  readonly outputModes?: readonly string[];
  /**
   * What the message that begins a task must hold, as a class with class-validator decorators. It is checked before any
   * task exists; initial values of its members are defaults. See `contract/skill-input.ts` for where it is looked for.
   */
  readonly input?: DtoClass;
  /** What every data part of a whole artifact must fit; what does not is never shown, and the task fails. */
  readonly output?: DtoClass;
  /**
   * Answers with a Message and never makes a task: runs once, at once, in the process that took the request, and is not
   * repeated after a crash. For answers of a second or less.
   */
  readonly direct?: boolean;
  /** How many turns of this skill one worker process runs at the same time; more wait. Default: no limit of its own. */
  readonly concurrency?: number;
  /** How long one run of one turn may take, in milliseconds; then `signal` aborts and the task fails. Not retried. */
  readonly timeoutMs?: number;
  /** How often one turn is run at most when runs are lost or break; `SkillFailure` is never retried. 1 = no retry. */
  readonly maxAttempts?: number;
  /** Scopes that the caller's token must all have; without them the call is refused before any task exists. */
  readonly scopes?: readonly string[];
  /**
   * Runs in a process of its own, so that long computing holds up nobody else and a crash or a full memory takes nobody
   * along. The class can have no constructor parameters; the process is killed when the turn is over.
   */
  readonly sandboxed?: boolean;
}

/** A class for checked JSON: class-validator decorators say what fits, and it can be made without arguments. */
export type DtoClass<T extends object = object> = new () => T;

/** A caller, as far as a skill may know. */
export interface SkillPrincipal {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
}

/** Who sent one message of a turn, as its credential proved when the message was taken in. */
export interface SkillSender extends SkillPrincipal {
  /** Scopes of the credential; absent for the message that began the task, which the skill's own `scopes` let in. */
  readonly scopes?: readonly string[];
}

/** Values that outlive a turn, by name. Values are JSON; a write is stored when its promise resolves. */
export interface SkillState {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
}

/** Values that several tasks write at the same time: the last write wins. */
export interface SharedState extends SkillState {
  /** Stores the value unless there is one. Gives what is stored then: all who ask at once get the same. */
  setIfAbsent(name: string, value: unknown): Promise<unknown>;
}

/** One line of the service's log, with the task's ids added. Never put message bodies or secrets here. */
export interface SkillLog {
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
}

/** All that a skill may touch while it runs one turn. `Input` is the skill's input class, when it declares one. */
export interface SkillContext<Input = unknown> {
  readonly taskId: string;
  readonly contextId: string;
  /** 1 for the first turn; each answer to INPUT_REQUIRED or AUTH_REQUIRED begins the next. */
  readonly turn: number;
  /** 1 for the first run of this turn; higher when an earlier run was lost. */
  readonly attempt: number;
  /** The same for every run of this turn: give it to outside systems so that a re-run does nothing twice. */
  readonly idempotencyKey: string;
  /** The messages that began this turn, oldest first. */
  readonly messages: readonly Message[];
  /**
   * Gives the sender of each of `messages`, in their order. Ask it whether somebody may decide or confirm: `principal`
   * is the caller that began the task. Undefined where a sender is not known, which must count as nobody.
   */
  readonly senders: () => Promise<readonly (SkillSender | undefined)[]>;
  /** Their text parts, joined by line breaks. */
  readonly text: string;
  /** Their data parts' values. */
  readonly data: readonly unknown[];
  /** Their raw and url parts. */
  readonly files: readonly (RawPart | UrlPart)[];
  /** What began the task, checked and with defaults; the same in every turn. Undefined for a skill without `input`. */
  readonly input: Input;
  /** Everything said in this task so far, this turn's messages included. */
  readonly history: readonly Message[];
  /** The metadata of the request that created the task. */
  readonly metadata: JsonObject;
  /** Media types the caller takes; empty = any. */
  readonly acceptedOutputModes: readonly string[];
  /** The caller that began the task. */
  readonly principal: SkillPrincipal;
  /** Kept for this task. */
  readonly state: SkillState;
  /** Kept for the context, shared by all of this caller's tasks in it. */
  readonly contextState: SharedState;
  /** Aborts when the task is canceled, its deadline has passed, or the process must leave. */
  readonly signal: AbortSignal;
  /** When this run's time is up and `signal` aborts; absent where nothing limits it. */
  readonly deadline?: Date;
  readonly log: SkillLog;
  /** Runs `work` once per turn: its JSON result is journalled, and a re-run after a crash gets that result instead. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** A skill: one turn of one task per call. Returning completes the task; see `events.ts` for what may be yielded. */
export interface SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void>;
}

/** Fails the task with a text for the caller. Any other error is retried, then fails with a reference id only. */
export class SkillFailure extends Error {
  override readonly name = 'SkillFailure';
}

export type SkillClass = new (...dependencies: never[]) => SkillHandler;

const OPTIONS = new WeakMap<object, SkillOptions>();

/** Declares a class as a skill. It must also be listed in `catalog/index.ts`. */
export function Skill(options: SkillOptions): (target: SkillClass) => void {
  return (target) => {
    OPTIONS.set(target, options);
  };
}

/** The options given to `@Skill`, or undefined for a class without it. */
export function skillOptionsOf(target: SkillClass): SkillOptions | undefined {
  return OPTIONS.get(target);
}
