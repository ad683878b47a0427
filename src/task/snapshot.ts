import { Json } from '../protocol/json.js';
import type { Task } from '../protocol/task.js';
import type { TaskState } from '../protocol/task-state.js';
import { taskJson } from './task-json.js';

/** A task as it stood at one moment. */
export interface Snapshot {
  /** Number and nonce of the latest event that this contains. */
  readonly seq: number;
  readonly nonce: string;
  readonly state: TaskState;
  readonly contextId: string;
  readonly task: Json<Task>;
}

/** How much of a task is read. */
export interface ReadOptions {
  /** Most recent messages; undefined = all, 0 = none. */
  readonly historyLength?: number | undefined;
  /** Default true. */
  readonly artifacts?: boolean;
  /** Adds `metadata.stateTransitions`, what older callers know as the state transition history (SEED-07). Default false. */
  readonly states?: boolean;
}

/** What read.lua returns of a task. */
export type StoredTask = readonly [
  state: TaskState,
  timestamp: string,
  message: string,
  contextId: string,
  metadata: string,
  seq: number,
  nonce: string,
  history: readonly string[],
  artifacts: readonly string[],
  /** JSON objects, a comma between. */
  states: string,
];

/** The task of an id as a script has read it; without artifacts their member is left out (A2A-LIST-07). */
export function snapshotOf(id: string, stored: StoredTask, withArtifacts: boolean): Snapshot {
  const [state, timestamp, message, contextId, metadata, seq, nonce, history, listed, states] = stored;
  const text = taskJson({
    ...{ id, contextId, state, timestamp, message, history },
    metadata: states === '' ? metadata : withTransitions(metadata, states),
    artifacts: withArtifacts ? listed : undefined,
  });
  return { seq, nonce, state, contextId, task: Json.ofText(text) };
}

/** @param metadata JSON object, or '' */
function withTransitions(metadata: string, states: string): string {
  const before = metadata === '' || metadata === '{}' ? '{' : `${metadata.slice(0, -1)},`;
  return `${before}"stateTransitions":[${states}]}`;
}
