import type { JsonObject } from './json.js';
import type { Message } from './message.js';
import type { Artifact, Task, TaskStatus } from './task.js';

/** A change of a task's status (A2A 1.0 `TaskStatusUpdateEvent`). */
export interface TaskStatusUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

/** An artifact, or a chunk of one (A2A 1.0 `TaskArtifactUpdateEvent`). */
export interface TaskArtifactUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** True: the parts are added to the stored artifact; else the artifact replaces the one of that id (A2A-ART-01, -02). */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** An event in streams and webhooks: exactly one member is set (A2A 1.0 `StreamResponse`). */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };
