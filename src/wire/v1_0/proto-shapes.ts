import type { OperationName } from '../../protocol/operations.js';

/** The proto names of an enum in the order of their numbers. */
export interface EnumShape {
  readonly names: readonly string[];
}

/** A proto message; its fields by their JSON names. A field that is not listed is unknown and left alone. */
export interface MessageShape {
  readonly fields: Readonly<Record<string, FieldShape>>;
}

/** `value`: any JSON, null included. `struct`: opaque. `plain`: strings, booleans. `int`: number, or its digits. */
export type FieldShape = 'plain' | 'int' | 'bytes' | 'struct' | 'value' | EnumShape | MessageShape;

const TASK_STATE: EnumShape = {
  names: [
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ],
};

const ROLE: EnumShape = { names: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'] };

const PART: MessageShape = {
  fields: {
    text: 'plain',
    raw: 'bytes',
    url: 'plain',
    data: 'value',
    metadata: 'struct',
    filename: 'plain',
    mediaType: 'plain',
  },
};

const MESSAGE: MessageShape = {
  fields: {
    messageId: 'plain',
    contextId: 'plain',
    taskId: 'plain',
    role: ROLE,
    parts: PART,
    metadata: 'struct',
    extensions: 'plain',
    referenceTaskIds: 'plain',
  },
};

const AUTHENTICATION: MessageShape = { fields: { scheme: 'plain', credentials: 'plain' } };

const PUSH_CONFIG: MessageShape = {
  fields: {
    tenant: 'plain',
    id: 'plain',
    taskId: 'plain',
    url: 'plain',
    token: 'plain',
    authentication: AUTHENTICATION,
  },
};

const CONFIGURATION: MessageShape = {
  fields: {
    acceptedOutputModes: 'plain',
    taskPushNotificationConfig: PUSH_CONFIG,
    historyLength: 'int',
    returnImmediately: 'plain',
  },
};

const SEND_MESSAGE: MessageShape = {
  fields: { tenant: 'plain', message: MESSAGE, configuration: CONFIGURATION, metadata: 'struct' },
};

const TASK_AND_ID: MessageShape = { fields: { tenant: 'plain', taskId: 'plain', id: 'plain' } };

/** The request message of each operation (A2A 1.0 proto, package `lf.a2a.v1`). */
export const REQUEST_SHAPES: Readonly<Record<OperationName, MessageShape>> = {
  SendMessage: SEND_MESSAGE,
  SendStreamingMessage: SEND_MESSAGE,
  GetTask: { fields: { tenant: 'plain', id: 'plain', historyLength: 'int' } },
  ListTasks: {
    fields: {
      tenant: 'plain',
      contextId: 'plain',
      status: TASK_STATE,
      pageSize: 'int',
      pageToken: 'plain',
      historyLength: 'int',
      statusTimestampAfter: 'plain',
      includeArtifacts: 'plain',
    },
  },
  CancelTask: { fields: { tenant: 'plain', id: 'plain', metadata: 'struct' } },
  SubscribeToTask: { fields: { tenant: 'plain', id: 'plain' } },
  CreateTaskPushNotificationConfig: PUSH_CONFIG,
  GetTaskPushNotificationConfig: TASK_AND_ID,
  ListTaskPushNotificationConfigs: {
    fields: { tenant: 'plain', taskId: 'plain', pageSize: 'int', pageToken: 'plain' },
  },
  DeleteTaskPushNotificationConfig: TASK_AND_ID,
  GetExtendedAgentCard: { fields: { tenant: 'plain' } },
};
