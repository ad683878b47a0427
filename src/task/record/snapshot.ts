import type { Json } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** A task at one point in time. */
export interface Snapshot {
  /** Number and nonce of the latest event that this contains. */
  readonly seq: number;
  readonly nonce: string;
  readonly state: TaskState;
  readonly contextId: string;
  readonly task: Json<Task>;
}

/** Room for what is read of a task: in the budget of its reader, until that has it. */
export interface AnswerRoom {
  /**
   * Takes room for so many bytes in all, before they are fetched.
   * @param isMade whether they are decoded for the answer, not passed on as they are stored
   * @throws A2AError where there is none
   */
  hold(bytes: number, isMade: boolean): Promise<void>;
}

/** How much of a task is read. */
export interface ReadOptions {
  /** Most recent messages; undefined = all, 0 = none. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly artifacts?: boolean | undefined;
  /** Adds `metadata.stateTransitions`, what older callers know as the state transition history (SEED-07). Default false. */
  readonly states?: boolean | undefined;
  /** Adds `metadata["urn:parley:created-at"]`, the time at which the task was created. Default false. */
  readonly created?: boolean | undefined;
  /** Asked before a large task is read. Default: no bound. */
  readonly room?: AnswerRoom | undefined;
  /** Whether the task becomes a part of a list or of a stream. Default false. */
  readonly isPart?: boolean | undefined;
}

/** Script arguments that select the parts of a task to read. */
export function shownArguments({ historyLength = -1, artifacts = true }: ReadOptions) {
  return { maxMessages: historyLength, withArtifacts: artifacts ? 1 : 0 };
}
