import type { AgentCard } from './agent-card.js';
import type { StreamResponse } from './event.js';
import type { JsonObject } from './json.js';
import type { Message } from './message.js';
import type { TaskPushNotificationConfig } from './push-config.js';
import type { Task } from './task.js';
import type { TaskState } from './task-state.js';

export interface SendMessageConfiguration {
  readonly acceptedOutputModes?: readonly string[];
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig;
  /** Most recent messages in the answer: absent = all, 0 = none (A2A-HIST-01 … -03). */
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
}

export interface SendMessageRequest {
  readonly tenant?: string;
  readonly message: Message;
  readonly configuration?: SendMessageConfiguration;
  readonly metadata?: JsonObject;
}

export type SendMessageResponse = { readonly task: Task } | { readonly message: Message };

export interface GetTaskRequest {
  readonly tenant?: string;
  readonly id: string;
  readonly historyLength?: number;
}

export interface ListTasksRequest {
  readonly tenant?: string;
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

export interface ListTasksResponse {
  readonly tasks: readonly Task[];
  /** Empty on the last page (A2A-LIST-04). */
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

export interface CancelTaskRequest {
  readonly tenant?: string;
  readonly id: string;
  readonly metadata?: JsonObject;
}

export interface SubscribeToTaskRequest {
  readonly tenant?: string;
  readonly id: string;
}

export interface PushConfigRequest {
  readonly tenant?: string;
  readonly taskId: string;
  readonly id: string;
}

export interface ListPushConfigsRequest {
  readonly tenant?: string;
  readonly taskId: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface ListPushConfigsResponse {
  readonly configs: readonly TaskPushNotificationConfig[];
  readonly nextPageToken: string;
}

/** The closed set of A2A operations (§5.3): each with its params and its result, and whether it streams. */
export interface Operations {
  SendMessage: { params: SendMessageRequest; result: SendMessageResponse; streams: false };
  SendStreamingMessage: { params: SendMessageRequest; result: StreamResponse; streams: true };
  GetTask: { params: GetTaskRequest; result: Task; streams: false };
  ListTasks: { params: ListTasksRequest; result: ListTasksResponse; streams: false };
  CancelTask: { params: CancelTaskRequest; result: Task; streams: false };
  SubscribeToTask: { params: SubscribeToTaskRequest; result: StreamResponse; streams: true };
  CreateTaskPushNotificationConfig: {
    params: TaskPushNotificationConfig;
    result: TaskPushNotificationConfig;
    streams: false;
  };
  GetTaskPushNotificationConfig: { params: PushConfigRequest; result: TaskPushNotificationConfig; streams: false };
  ListTaskPushNotificationConfigs: { params: ListPushConfigsRequest; result: ListPushConfigsResponse; streams: false };
  DeleteTaskPushNotificationConfig: { params: PushConfigRequest; result: Record<string, never>; streams: false };
  GetExtendedAgentCard: { params: { readonly tenant?: string }; result: AgentCard; streams: false };
}

export type OperationName = keyof Operations;
export type ParamsOf<O extends OperationName> = Operations[O]['params'];
export type ResultOf<O extends OperationName> = Operations[O]['result'];
export type StreamingOperation = {
  [O in OperationName]: Operations[O]['streams'] extends true ? O : never;
}[OperationName];
export type UnaryOperation = Exclude<OperationName, StreamingOperation>;

/** Whether an operation answers with a stream, by name. */
export const STREAMS: { readonly [O in OperationName]: Operations[O]['streams'] } = {
  SendMessage: false,
  SendStreamingMessage: true,
  GetTask: false,
  ListTasks: false,
  CancelTask: false,
  SubscribeToTask: true,
  CreateTaskPushNotificationConfig: false,
  GetTaskPushNotificationConfig: false,
  ListTaskPushNotificationConfigs: false,
  DeleteTaskPushNotificationConfig: false,
  GetExtendedAgentCard: false,
};

export const OPERATION_NAMES: readonly string[] = Object.keys(STREAMS);

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(STREAMS, name);
}

export function isStreaming(operation: OperationName): operation is StreamingOperation {
  return STREAMS[operation];
}
