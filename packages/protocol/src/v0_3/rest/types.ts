import type { JsonObject } from '../../model/json.js';
import type { Role } from '../../model/message.js';
import type { TaskState } from '../../model/task-state.js';
import type { LegacyFile, LegacyPushConfig } from '../../legacy/types.js';

/**
 * A2A 0.3 objects as its HTTP+JSON clients parse them: ProtoJSON of package `a2a.v1`. `undefined` members are left out.
 * `metadata` of parts and `name` of files came with later 0.3.x protos and are written only when there is something to
 * say; `referenceTaskIds` has no place there.
 */
export type ProtoPart = { readonly metadata?: JsonObject | undefined } & (
  { readonly text: string } | { readonly file: ProtoFile } | { readonly data: { readonly data: JsonObject } }
);

export interface ProtoFile extends Pick<LegacyFile, 'name' | 'mimeType'> {
  readonly fileWithBytes?: string | undefined;
  readonly fileWithUri?: string | undefined;
}

export interface ProtoMessage {
  readonly messageId: string;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly role: Role;
  readonly content: readonly ProtoPart[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

export interface ProtoStatus {
  readonly state: Exclude<TaskState, 'TASK_STATE_CANCELED'> | 'TASK_STATE_CANCELLED';
  readonly message?: ProtoMessage | undefined;
  readonly timestamp: string;
}

export interface ProtoArtifact {
  readonly artifactId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly parts: readonly ProtoPart[];
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}

export interface ProtoTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: ProtoStatus;
  readonly artifacts?: readonly ProtoArtifact[] | undefined;
  readonly history?: readonly ProtoMessage[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface ProtoPushConfig {
  /** `tasks/{task}/pushNotificationConfigs/{config}` */
  readonly name: string;
  readonly pushNotificationConfig: LegacyPushConfig;
}
