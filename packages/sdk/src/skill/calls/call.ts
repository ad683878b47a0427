import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { Artifact } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { Question } from '../questions/question.js';
import { SkillFailure } from '../skill-failure.js';

/** Input of a called skill: a text, the members of its input, or parts. */
export type CallInput = string | JsonObject | readonly Part[];

/**
 * Compensation of a finished step or call, run when its task fails or is canceled: a skill and its input. It is data,
 * since no function survives its process.
 */
export interface Undo {
  /** The skill that takes the work back. */
  readonly skill: string;
  /** Its input. Default for a call: the output of the called skill, or its text. A step without it gives an empty text. */
  readonly input?: CallInput;
  /** Further tries after a failure, with pauses of `backoffMs`, doubled each time. Default: 5, from 1,000 ms. */
  readonly retry?: { readonly times: number; readonly backoffMs?: number };
  /** Time limit of one try, ms. Default: 15 minutes. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  /**
   * The name of the call within its turn; by default the skill and the number of its calls so far. In a repeated run the
   * call of the same name finds its child: name calls whose order depends on data.
   */
  readonly key?: string;
  /** Asks before the call is made; without a yes in time there is no child, and `CallFailed` says `denied`. */
  readonly approval?: true | Approval;
  /** Limit, ms: the child is canceled after it, and the call fails with `deadline`. */
  readonly timeoutMs?: number;
  /** The child continues when its parent is canceled or ends. */
  readonly detach?: boolean;
  /** Conditions that the contract of the skill names, and that its result must meet; else the call fails with `unmet`. */
  readonly success?: readonly string[];
  /**
   * Runs instead when the call fails, is rejected, takes too long or does not meet `success`; the result says so. Not for
   * calls of a fan-out.
   */
  readonly fallback?: string | Fallback;
  /** Undoes the work of the child, if it is completed and this task fails or is canceled later. */
  readonly undo?: Undo;
  /**
   * Events of the child in the stream of the task: `status` (default), its messages, at most four times a second, and
   * its end; `artifacts`, its artifacts too, piece by piece; `none`, nothing.
   */
  readonly progress?: 'status' | 'artifacts' | 'none';
  /**
   * Requested media types of the result, as the child's `acceptedOutputModes`. Default: any, since a skill reads the
   * other's contract. For a result that goes to the caller as it is: `context.acceptedOutputModes`.
   */
  readonly accepts?: readonly string[];
  /** History of this task that the child gets, as `shared('parent').get('history')`: nothing (`none`, default), its last message, or all. */
  readonly history?: 'none' | 'last' | 'all';
  /** The version of the skill that the call is written for: with another one it is refused before a child exists (`schema`). */
  readonly version?: number;
}

/** The skill that runs instead of a call without a good result. */
export interface Fallback {
  readonly skillId: string;
  /** Default: the input of the call, and with a JSON object the reason too, as `reason`; as far as its contract has these members. */
  readonly input?: CallInput;
}

/** How the approval of a call is asked for. */
export interface Approval extends Pick<Question, 'approvers' | 'timeoutMs'> {
  /** Default: the id of the skill and its input. */
  readonly question?: string;
}

/** Result of a completed child. */
export interface CallResult<Output = unknown> {
  readonly taskId: string;
  readonly skillId: string;
  /** The first of `data`: the child's contract has checked it. */
  readonly output: Output;
  /** Text parts of its artifacts, joined by line breaks; of its last message where it has no artifacts. */
  readonly text: string;
  /** Values of data parts, likewise. */
  readonly data: readonly unknown[];
  readonly artifacts: readonly Artifact[];
  /** Of a fallback: why the call has no result that it runs instead of. */
  readonly insteadOf?: CallFailed;
}

/** Why a call has no result. */
export type CallFault =
  /** The child ended so. */
  | 'failed'
  | 'rejected'
  | 'canceled'
  /**
   * Of an agent of another service: it may or may not have begun; it refused our credentials; it is not called, since
   * its calls keep failing; it could not be reached, or answered with an error.
   */
  | 'unknown'
  | 'auth'
  | 'breaker'
  | 'remote'
  /** Refused before anything was stored: there is no such skill; its input or the caller's scopes do not allow it. */
  | 'unknown-skill'
  | 'schema'
  | 'scope'
  /** The tree has as many tasks, levels or children of one task as it may. */
  | 'budget'
  /** It took longer than it was given (`timeoutMs`), and was canceled. */
  | 'deadline'
  /** Its result does not meet the conditions of success. */
  | 'unmet'
  /** Its approval was refused, or did not come in time. */
  | 'denied'
  /** The fan-out was settled before this child ended. */
  | 'left';

/**
 * Thrown when a called skill has no result. Catch it to continue without one, by `why`; uncaught, it fails the task of
 * the caller with its text.
 */
export class CallFailed extends SkillFailure {
  override readonly name = 'CallFailed';

  constructor(
    readonly skillId: string,
    readonly why: CallFault,
    text: string,
    /** Absent where no child was made. */
    readonly taskId?: string,
  ) {
    super(text);
  }
}

/** A call that begins at once, or with the fan-out that it is given to. */
export interface Call<Output = unknown> extends PromiseLike<CallResult<Output>> {
  readonly catch: Promise<CallResult<Output>>['catch'];
  readonly finally: Promise<CallResult<Output>>['finally'];
}

export interface MapOptions<Item> {
  /** Children that run at once. Default 10. */
  readonly limit?: number;
  /** `fail` (default): the first failure fails the whole; `collect`: every child ends, and failures are part of the result. */
  readonly onFailure?: 'fail' | 'collect';
  /**
   * Settles the map as soon as this many calls are completed, and cancels the others; it throws when that cannot be reached
   * any more. Failures are part of the result.
   */
  readonly quorum?: number;
  /** Names the call of an item, instead of its number. */
  readonly key?: (item: Item, index: number) => string;
}

/** Results of the calls of a `map`. */
export interface MapResult<Output = unknown> {
  /** In the order of the items. */
  readonly all: readonly (CallResult<Output> | CallFailed)[];
  readonly done: readonly CallResult<Output>[];
  readonly failed: readonly CallFailed[];
}

/** Runs other skills as child tasks. The run is parked while nothing but children is left to wait for. */
export interface SkillCalls {
  /** Runs a skill. Throws `CallFailed` where it does not complete. */
  readonly call: <Output = unknown>(skillId: string, input?: CallInput, options?: CallOptions) => Call<Output>;
  /**
   * Hands the conversation over to another skill: its questions are asked as this task's, and answers go to it without a run of this
   * skill, until it ends. Resolves with its result, as `call`. A tree has a limit of transfers, and a skill that is given the
   * same input a third time on one path is refused as a loop.
   */
  readonly transfer: <Output = unknown>(
    skillId: string,
    input: CallInput,
    options?: Pick<CallOptions, 'key' | 'timeoutMs'>,
  ) => Call<Output>;
  /** The results of all calls, in their order; throws the first `CallFailed` as soon as one fails. */
  readonly all: <Output = unknown>(calls: readonly Call<Output>[]) => Promise<readonly CallResult<Output>[]>;
  /** Makes a call for each item. The run is woken once, when all have ended or, with `fail`, when one has failed. */
  readonly map: <Item, Output = unknown>(
    items: readonly Item[],
    toCall: (item: Item, index: number) => Call<Output>,
    options?: MapOptions<Item>,
  ) => Promise<MapResult<Output>>;
  /** The result of the call that completes first. Throws `CallFailed` where none does. */
  readonly first: <Output = unknown>(calls: readonly Call<Output>[]) => Promise<CallResult<Output>>;
}

/** A call as it is made. */
export interface CallSpec {
  readonly key: string;
  readonly skillId: string;
  readonly input: CallInput;
  readonly timeoutMs?: number;
  readonly detach?: true;
  readonly success?: readonly string[];
  /** Members of its input that the contract of the skill does not have are left out. */
  readonly trims?: true;
  readonly undo?: Undo;
  readonly progress?: 'artifacts' | 'none';
  readonly accepts?: readonly string[];
  readonly isTransfer?: true;
  readonly history?: 'last' | 'all';
  readonly version?: number;
}

/** Calls that one wait is for. */
export interface CallGroup {
  readonly kind: 'call' | 'all' | 'map' | 'first';
  readonly calls: readonly CallSpec[];
  /** Successes, and failures, that settle it before all have ended; 0 for none. */
  readonly needed: number;
  readonly mostFailed: number;
  /** Children that may run at once; 0 for all. */
  readonly limit: number;
}

/** Outcome of a call, as JSON. */
export type CallOutcome =
  | {
      readonly taskId: string;
      readonly artifacts: readonly Artifact[];
      readonly message: readonly Part[];
      /** The child has written shared values, which its parent takes over. */
      readonly wrote?: true;
    }
  | { readonly why: CallFault; readonly text: string; readonly taskId?: string };

/** Faults that a failed child names itself. */
export const NAMED_FAULTS = [
  'unknown',
  'auth',
  'breaker',
  'deadline',
  'remote',
  'schema',
] as const satisfies readonly CallFault[];

/** The fault that the end of a child is. */
export const FAULTS: Readonly<Partial<Record<TaskState, CallFault>>> = {
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_CANCELED: 'canceled',
};
