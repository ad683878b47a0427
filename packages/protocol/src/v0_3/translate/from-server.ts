/**
 * Results and events of servers of 0.1 to 0.3 in the shape of v1, not validated; the reverse of `task.ts` and `event.ts`.
 * Those of 0.1 are read by their form: sessions for contexts, numbers for the ids of artifacts, no ids of messages.
 */
import type { JsonObject } from '../../model/json.js';
import { TASK_STATES } from '../../model/task-state.js';
import { isJsonObject, mapArray, member, nonEmpty, nonEmptyList, withoutUnset } from '../../json/json-value.js';
import { partFromLegacy } from '../../legacy/part.js';
import { messageFromV03 } from './message.js';

export function taskFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    id: member(value, 'id'),
    contextId: nonEmpty(value, 'contextId', 'context_id', 'sessionId'),
    status: statusFromV03(member(value, 'status')),
    artifacts: numbered(nonEmptyList(value, 'artifacts')),
    history: mapArray(nonEmptyList(value, 'history'), saidBy),
    metadata: member(value, 'metadata'),
  });
}

/** The answer to a send is a bare task or message; `kind` says which, and servers that leave it out have a status or parts. */
export function sendResultFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const isMessage = value.kind === 'message' || (value.kind === undefined && value.status === undefined);
  return isMessage ? { message: messageFromV03(value) } : { task: taskFromV03(value) };
}

export function eventFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { taskId, contextId, metadata, append, lastChunk } = value;
  switch (value.kind) {
    case 'status-update':
      return { statusUpdate: withoutUnset({ taskId, contextId, status: statusFromV03(value.status), metadata }) };
    case 'artifact-update':
      return {
        artifactUpdate: withoutUnset({
          ...{ taskId, contextId, append, lastChunk, metadata },
          artifact: artifactFromV03(value.artifact),
        }),
      };
    default:
      return eventOfV01(value) ?? sendResultFromV03(value);
  }
}

/** An event of 0.1 names its task by `id`, and has no `kind`; a task has its session or artifacts beside the status. */
function eventOfV01(value: JsonObject): unknown {
  const { id, kind, status, artifact, metadata } = value;
  if (kind !== undefined || id === undefined) return undefined;
  if (isJsonObject(artifact)) {
    const { append, lastChunk } = artifact;
    return {
      artifactUpdate: withoutUnset({ taskId: id, artifact: artifactFromV03(artifact), append, lastChunk, metadata }),
    };
  }
  if (!isJsonObject(status) || value.final === undefined) return undefined;
  return { statusUpdate: withoutUnset({ taskId: id, status: statusFromV03(status), metadata }) };
}

function numbered(artifacts: unknown): unknown {
  return Array.isArray(artifacts) ? artifacts.map((one: unknown, at) => artifactFromV03(one, at)) : artifacts;
}

/** A message as its server has sent it; one of 0.1 has no id, and gets one derived from its content. */
function saidBy(value: unknown): unknown {
  const message = messageFromV03(value);
  if (!isJsonObject(value) || !isJsonObject(message) || message.messageId !== undefined) return message;
  return { messageId: `v01-${digestOf(JSON.stringify(value))}`, ...message };
}

function statusFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const message = member(value, 'message');
  return withoutUnset({
    state: stateFromV03(member(value, 'state')),
    message: message === undefined ? undefined : saidBy(message),
    timestamp: member(value, 'timestamp'),
  });
}

/** `input-required` is TASK_STATE_INPUT_REQUIRED; `unknown` is TASK_STATE_UNSPECIFIED. */
function stateFromV03(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value === 'unknown') return 'TASK_STATE_UNSPECIFIED';
  return TASK_STATES.find((state) => state === `TASK_STATE_${value.toUpperCase().replaceAll('-', '_')}`) ?? value;
}

function artifactFromV03(value: unknown, at = 0): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    artifactId:
      member(value, 'artifactId', 'artifact_id') ?? String(typeof value.index === 'number' ? value.index : at),
    name: nonEmpty(value, 'name'),
    description: nonEmpty(value, 'description'),
    parts: mapArray(member(value, 'parts'), partFromLegacy),
    metadata: member(value, 'metadata'),
    extensions: nonEmptyList(value, 'extensions'),
  });
}

/** A name for a text, the same each time (FNV-1a, twice 32 bits): the pages of the console have no hash of Node's. */
function digestOf(text: string): string {
  const parts = [0x811c9dc5, 0x01000193].map((offset) => {
    let sum = offset;
    for (const character of text) sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    return sum.toString(16).padStart(8, '0');
  });
  return parts.join('');
}
