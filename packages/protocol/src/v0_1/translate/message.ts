/** Messages: 0.1 has no ids in them, and calls the kind of a part `type`. */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '../../model/json.js';
import { lasting } from '../../codec/message-meaning.js';
import type { Message, Part } from '../../model/message.js';
import { isJsonObject, mapArray, member, nonEmpty, withoutUnset } from '../../json/json-value.js';
import { partFromLegacy, partToLegacy } from '../../legacy/part.js';
import { LEGACY_ROLES, roleFromLegacy } from '../../legacy/role.js';
import type { MessageV01, PartV01 } from '../types.js';

export function messageToV01({ role, parts, metadata }: Message): MessageV01 {
  return { role: LEGACY_ROLES[role], parts: parts.map(partToV01), metadata };
}

export function partToV01(part: Part): PartV01 {
  const { kind: type, ...rest } = partToLegacy(part);
  return { type, ...rest };
}

/**
 * A v1 message of a 0.1 one. Its id is made of the task's id and the message itself: a client that repeats a call whose
 * answer it lost is then recognised as such, as in the later versions (A2A-SEND-14).
 */
export function messageFromV01(value: unknown, taskId: string, sessionId: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    messageId: statedId(value) ?? nameOf(taskId, value),
    contextId: sessionId,
    role: roleFromLegacy(member(value, 'role')),
    parts: partsFromV01(value),
    metadata: member(value, 'metadata'),
  });
}

/** Some callers send the one content as `message.data` in place of parts; the first request of seed 001 has its parts there. */
function partsFromV01(message: JsonObject): unknown {
  const parts = member(message, 'parts');
  const data = member(message, 'data');
  if (parts !== undefined || data === undefined) return mapArray(parts, partFromLegacy);
  if (Array.isArray(data) && data.length > 0 && data.every(isPart)) return data.map(partFromLegacy);
  return [typeof data === 'string' ? { text: data } : { data }];
}

function isPart(value: unknown): boolean {
  return (
    isJsonObject(value) && ['text', 'file', 'data'].some((type) => value.type === type && Object.hasOwn(value, type))
  );
}

/** The id with which a message came; undefined for one of 0.1 itself, which has none. */
export function statedId(message: JsonObject): unknown {
  return nonEmpty(message, 'messageId');
}

function nameOf(taskId: string, message: JsonObject): string {
  const { metadata } = message;
  const meant = { ...message, metadata: isJsonObject(metadata) ? lasting(metadata) : metadata };
  return `v01-${hash('sha256', canonicalize([taskId, meant]) ?? '').slice(0, 32)}`;
}
