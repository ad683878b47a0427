import type { OperationName } from '../model/operations.js';
import { A2A_V1 } from '../proto/a2a-v1.js';
import { camelCase, parseField, type ProtoField } from '../proto/proto-file.js';

/** The proto names of an enum in the order of their numbers. */
export interface EnumShape {
  readonly names: readonly string[];
}

/** A proto message; its fields by their JSON names. A field that is not listed is unknown and left alone. */
export interface MessageShape {
  readonly fields: Readonly<Record<string, Field>>;
}

/** One field of a message. */
export interface Field {
  readonly shape: FieldShape;
  /**
   * The value that is the same as no value, of a field without explicit presence (proto3): `''`, `0`, `'[]'` for the
   * empty list, the first name of an enum. Undefined where every value counts.
   */
  readonly unset: string | number | undefined;
}

/** `value`: any JSON, null included. `struct`: opaque. `plain`: strings, booleans. `int`: number, or its digits. */
export type FieldShape = 'plain' | 'int' | 'bytes' | 'struct' | 'value' | EnumShape | MessageShape;

/** How `Field.unset` names the empty list. */
export const EMPTY_LIST = '[]';

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

/** The result message of each operation, for callers; a card is read by its own reader. */
export const RESULT_SHAPES: Readonly<Record<OperationName, MessageShape>> = {
  SendMessage: shapeOf('SendMessageResponse'),
  SendStreamingMessage: shapeOf('StreamResponse'),
  GetTask: shapeOf('Task'),
  ListTasks: shapeOf('ListTasksResponse'),
  CancelTask: shapeOf('Task'),
  SubscribeToTask: shapeOf('StreamResponse'),
  CreateTaskPushNotificationConfig: shapeOf('TaskPushNotificationConfig'),
  GetTaskPushNotificationConfig: shapeOf('TaskPushNotificationConfig'),
  ListTaskPushNotificationConfigs: shapeOf('ListTaskPushNotificationConfigsResponse'),
  DeleteTaskPushNotificationConfig: { fields: {} },
  GetExtendedAgentCard: { fields: {} },
};

/** One event of a stream. */
export const EVENT_SHAPE: MessageShape = RESULT_SHAPES.SendStreamingMessage;

function shapeOf(message: string): MessageShape {
  const fields = Object.entries(A2A_V1.messages[message] ?? {}).map(([name, text]) => {
    const field = parseField(text);
    const shape = KINDS[field.type] ?? enumShape(field.type) ?? shapeOf(field.type);
    return [field.jsonName ?? camelCase(name), { shape, unset: unsetOf(field) }] as const;
  });
  return { fields: Object.fromEntries(fields) };
}

/** Fields whose default value proto3 does not distinguish from absence: not in a oneof, not `optional`, not a message. */
function unsetOf({ type, repeated, optional, oneof }: ProtoField): Field['unset'] {
  if (repeated) return EMPTY_LIST;
  if (optional || oneof !== undefined) return undefined;
  if (type === 'string') return '';
  return type === 'int32' ? 0 : enumShape(type)?.names[0];
}

function enumShape(type: string): EnumShape | undefined {
  const names = A2A_V1.enums?.[type];
  return names && { names };
}
