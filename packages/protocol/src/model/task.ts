import type { JsonObject } from './json.js';
import type { Message, Part } from './message.js';
import type { TaskState } from './task-state.js';

/** The current status of a task (A2A 1.0 `TaskStatus`). */
export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** When the state was entered: ISO 8601, UTC, milliseconds. */
  readonly timestamp: string;
}

/** A result of a task (A2A 1.0 `Artifact`). */
export interface Artifact {
  /** Unique within its task. */
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** A task with its status, history and artifacts (A2A 1.0 `Task`). */
export interface Task {
  /** Made by the server. */
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}
