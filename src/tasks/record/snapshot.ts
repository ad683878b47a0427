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

/** A share of the reader's budget for a task's data, held until the reader has received it. */
export interface AnswerRoom {
  /**
   * Takes room for this many bytes in total, before they are fetched.
   * @param isMade whether they are decoded for the answer instead of passed on as stored
   * @throws A2AError when there is none
   */
  hold(bytes: number, isMade: boolean): Promise<void>;
}

/** The part of a task to read. */
export interface ReadOptions {
  /** Most recent messages; undefined = all, 0 = none. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly artifacts?: boolean | undefined;
  /** Adds `metadata.stateTransitions`, the state transition history of older versions (SEED-07). Default false. */
  readonly states?: boolean | undefined;
  /** Adds `metadata["urn:parley:created-at"]`, the time at which the task was created. Default false. */
  readonly created?: boolean | undefined;
  /** Reserves room before a large task is read. Default: no bound. */
  readonly room?: AnswerRoom | undefined;
  /** Whether the task becomes a part of a list or of a stream. Default false. */
  readonly isPart?: boolean | undefined;
}

/** Script arguments that select the parts of a task to read. */
export function shownArguments({ historyLength = -1, artifacts = true }: ReadOptions) {
  return { maxMessages: historyLength, withArtifacts: artifacts ? 1 : 0 };
}
