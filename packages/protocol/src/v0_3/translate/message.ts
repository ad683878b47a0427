/**
 * Messages: 0.3 has `kind`, short role names, and its callers leave `kind` out (the examples of 0.3 §9 do). The proto
 * form of 0.3 calls the parts `content`.
 */
import type { Message } from '../../model/message.js';
import { isJsonObject, mapArray, member, nonEmpty, nonEmptyList, withoutUnset } from '../../json/json-value.js';
import { partFromLegacy, partToLegacy } from '../../legacy/part.js';
import { LEGACY_ROLES, roleFromLegacy } from '../../legacy/role.js';
import type { MessageV03 } from '../types.js';

export function messageToV03(message: Message): MessageV03 {
  return { ...message, kind: 'message', role: LEGACY_ROLES[message.role], parts: message.parts.map(partToLegacy) };
}

/** `partFrom` reads one part: the proto form of 0.3 has another one. */
export function messageFromV03(value: unknown, partFrom: (part: unknown) => unknown = partFromLegacy): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    messageId: nonEmpty(value, 'messageId', 'message_id'),
    contextId: nonEmpty(value, 'contextId', 'context_id'),
    taskId: nonEmpty(value, 'taskId', 'task_id'),
    role: roleFromLegacy(member(value, 'role')),
    parts: mapArray(member(value, 'parts', 'content'), partFrom),
    metadata: member(value, 'metadata'),
    extensions: nonEmptyList(value, 'extensions'),
    referenceTaskIds: nonEmptyList(value, 'referenceTaskIds', 'reference_task_ids'),
  });
}
