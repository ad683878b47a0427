/** Results and events of 0.3 servers in the shape of v1, not validated; the reverse of `task.ts` and `event.ts`. */
import { TASK_STATES } from '../../../protocol/task-state.js';
import { isJsonObject, mapArray, member, nonEmpty, nonEmptyList, withoutUnset } from '../../json-value.js';
import { partFromLegacy } from '../../legacy/part.js';
import { messageFromV03 } from './message.js';

export function taskFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    id: member(value, 'id'),
    contextId: nonEmpty(value, 'contextId', 'context_id'),
    status: statusFromV03(member(value, 'status')),
    artifacts: mapArray(nonEmptyList(value, 'artifacts'), artifactFromV03),
    history: mapArray(nonEmptyList(value, 'history'), (one) => messageFromV03(one)),
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
      return sendResultFromV03(value);
  }
}

function statusFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const message = member(value, 'message');
  return withoutUnset({
    state: stateFromV03(member(value, 'state')),
    message: message === undefined ? undefined : messageFromV03(message),
    timestamp: member(value, 'timestamp'),
  });
}

/** `input-required` is TASK_STATE_INPUT_REQUIRED; `unknown` is TASK_STATE_UNSPECIFIED. */
function stateFromV03(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value === 'unknown') return 'TASK_STATE_UNSPECIFIED';
  return TASK_STATES.find((state) => state === `TASK_STATE_${value.toUpperCase().replaceAll('-', '_')}`) ?? value;
}

function artifactFromV03(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return withoutUnset({
    artifactId: member(value, 'artifactId', 'artifact_id'),
    name: nonEmpty(value, 'name'),
    description: nonEmpty(value, 'description'),
    parts: mapArray(member(value, 'parts'), partFromLegacy),
    metadata: member(value, 'metadata'),
    extensions: nonEmptyList(value, 'extensions'),
  });
}
