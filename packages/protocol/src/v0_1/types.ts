import type { JsonObject } from '../model/json.js';
import type { LegacyFile, LegacyPart, LegacyPushConfig, LegacyRole } from '../legacy/types.js';

/* A2A 0.1 objects (the JSON schema of the first release). `undefined` members are left out. */

export type TaskStateV01 = 'submitted' | 'working' | 'input-required' | 'completed' | 'canceled' | 'failed';

/** 0.1 calls the discriminator `type`; one of `text`, `file`, `data` is set. */
export interface PartV01 {
  readonly type: LegacyPart['kind'];
  readonly text?: string;
  readonly file?: LegacyFile;
  readonly data?: JsonObject;
  readonly metadata?: JsonObject | undefined;
}

export interface MessageV01 {
  readonly role: LegacyRole;
  readonly parts: readonly PartV01[];
  readonly metadata?: JsonObject | undefined;
}

export interface TaskStatusV01 {
  readonly state: TaskStateV01;
  readonly message?: MessageV01 | undefined;
  readonly timestamp?: string;
}

export interface ArtifactV01 {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly parts: readonly PartV01[];
  /** Position among the task's artifacts, from 0. */
  readonly index: number;
  readonly append?: boolean | undefined;
  readonly lastChunk?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface TaskV01 {
  readonly id: string;
  readonly sessionId?: string | undefined;
  readonly status: TaskStatusV01;
  readonly artifacts?: readonly ArtifactV01[] | undefined;
  readonly history?: readonly MessageV01[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface StatusEventV01 {
  readonly id: string;
  readonly status: TaskStatusV01;
  readonly final: boolean;
  readonly metadata?: JsonObject | undefined;
}

export interface ArtifactEventV01 {
  readonly id: string;
  readonly artifact: ArtifactV01;
  readonly metadata?: JsonObject | undefined;
}

export type EventV01 = StatusEventV01 | ArtifactEventV01;

export interface TaskPushConfigV01 {
  readonly id: string;
  /** Null where there is none. */
  readonly pushNotificationConfig: Omit<LegacyPushConfig, 'id'> | null;
}
