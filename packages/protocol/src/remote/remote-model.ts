import type { TaskArtifactUpdateEvent } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import type { Message } from '../model/message.js';
import type { TaskPushNotificationConfig } from '../model/push-config.js';
import type { Artifact } from '../model/task.js';
import { isSettled, isTerminal, TASK_STATES, type TaskState } from '../model/task-state.js';

/** A state as another agent reports it: one of the protocol, or unknown (A2A 1.0 `TASK_STATE_UNSPECIFIED`). */
export type RemoteState = TaskState | 'TASK_STATE_UNSPECIFIED';

export interface RemoteStatus {
  readonly state: RemoteState;
  readonly message?: Message;
  readonly timestamp?: string;
}

/** A task of another agent. Members that the protocol does not have are kept. */
export interface RemoteTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: RemoteStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

export interface RemoteStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: RemoteStatus;
  readonly metadata?: JsonObject;
}

/** The answer to a send: exactly one member is set. */
export type RemoteReply = { readonly task: RemoteTask } | { readonly message: Message };

/** An event of another agent's stream: exactly one member is set. */
export type RemoteEvent =
  RemoteReply | { readonly statusUpdate: RemoteStatusUpdate } | { readonly artifactUpdate: TaskArtifactUpdateEvent };

export interface RemoteTaskList {
  readonly tasks: readonly RemoteTask[];
  readonly nextPageToken: string;
  readonly pageSize?: number;
  readonly totalSize?: number;
}

export interface RemotePushConfigs {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

export function isKnownState(state: RemoteState): state is TaskState {
  return (TASK_STATES as readonly string[]).includes(state);
}

/** Whether the task has ended; an unknown state has not. */
export function hasEnded(state: RemoteState): boolean {
  return isKnownState(state) && isTerminal(state);
}

/** Whether the task has ended or waits for its caller. */
export function isAtRest(state: RemoteState): boolean {
  return isKnownState(state) && isSettled(state);
}
