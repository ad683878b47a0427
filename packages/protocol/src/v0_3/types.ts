import type { JsonObject } from '../model/json.js';
import type { LegacyPart, LegacyPushConfig, LegacyRole } from '../legacy/types.js';

/* A2A 0.3 objects as they are written on JSON-RPC (types.ts of the 0.3.0 release). `undefined` members are left out. */

export type TaskStateV03 =
  'submitted' | 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled' | 'rejected';

export interface MessageV03 {
  readonly kind: 'message';
  readonly messageId: string;
  readonly role: LegacyRole;
  readonly parts: readonly LegacyPart[];
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
  readonly referenceTaskIds?: readonly string[] | undefined;
}

export interface TaskStatusV03 {
  readonly state: TaskStateV03;
  readonly message?: MessageV03 | undefined;
  readonly timestamp: string;
}

export interface ArtifactV03 {
  readonly artifactId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly parts: readonly LegacyPart[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

export interface TaskV03 {
  readonly kind: 'task';
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatusV03;
  readonly artifacts?: readonly ArtifactV03[] | undefined;
  readonly history?: readonly MessageV03[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface StatusUpdateV03 {
  readonly kind: 'status-update';
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatusV03;
  readonly final: boolean;
  readonly metadata?: JsonObject | undefined;
}

export interface ArtifactUpdateV03 {
  readonly kind: 'artifact-update';
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: ArtifactV03;
  readonly append?: boolean | undefined;
  readonly lastChunk?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
}

export type EventV03 = TaskV03 | MessageV03 | StatusUpdateV03 | ArtifactUpdateV03;

export interface TaskPushConfigV03 {
  readonly taskId: string;
  readonly pushNotificationConfig: LegacyPushConfig;
}
