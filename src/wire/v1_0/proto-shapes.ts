import type { OperationName } from '../../protocol/operations.js';
import { A2A_V1 } from '../../protocol/proto/a2a-v1.js';
import { camelCase, parseField } from '../../protocol/proto/proto-file.js';

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

const KINDS: Readonly<Record<string, FieldShape>> = {
  string: 'plain',
  bool: 'plain',
  Timestamp: 'plain',
  int32: 'int',
  bytes: 'bytes',
  Struct: 'struct',
  Value: 'value',
};

/** The request message of each operation (A2A 1.0 proto, package `lf.a2a.v1`). */
export const REQUEST_SHAPES: Readonly<Record<OperationName, MessageShape>> = {
  SendMessage: shapeOf('SendMessageRequest'),
  SendStreamingMessage: shapeOf('SendMessageRequest'),
  GetTask: shapeOf('GetTaskRequest'),
  ListTasks: shapeOf('ListTasksRequest'),
  CancelTask: shapeOf('CancelTaskRequest'),
  SubscribeToTask: shapeOf('SubscribeToTaskRequest'),
  CreateTaskPushNotificationConfig: shapeOf('TaskPushNotificationConfig'),
  GetTaskPushNotificationConfig: shapeOf('GetTaskPushNotificationConfigRequest'),
  ListTaskPushNotificationConfigs: shapeOf('ListTaskPushNotificationConfigsRequest'),
  DeleteTaskPushNotificationConfig: shapeOf('DeleteTaskPushNotificationConfigRequest'),
  GetExtendedAgentCard: shapeOf('GetExtendedAgentCardRequest'),
};

function shapeOf(message: string): MessageShape {
  const fields = Object.entries(A2A_V1.messages[message] ?? {}).map(([name, text]) => {
    const { type, jsonName } = parseField(text);
    return [jsonName ?? camelCase(name), KINDS[type] ?? enumShape(type) ?? shapeOf(type)] as const;
  });
  return { fields: Object.fromEntries(fields) };
}

function enumShape(type: string): EnumShape | undefined {
  const names = A2A_V1.enums?.[type];
  return names && { names };
}
