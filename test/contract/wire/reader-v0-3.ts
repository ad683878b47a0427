import type { JsonObject } from '@parley/protocol/model/json.js';
import { partFromLegacy } from '@parley/protocol/legacy/part.js';
import { messageFromV03 } from '@parley/protocol/v0_3/translate/message.js';

/** Reads 0.3 answers back into 1.0, as a client would: what the service itself never has to do. */
type Reader = (value: JsonObject) => JsonObject;

function mapMember(object: JsonObject, name: string, read: (value: never) => unknown): JsonObject {
  return object[name] === undefined ? object : { ...object, [name]: read(object[name] as never) };
}

const states = new Map([['cancelled', 'CANCELED']]);

function stateFrom(state: string): string {
  return `TASK_STATE_${states.get(state) ?? state.toUpperCase().replaceAll('-', '_')}`;
}

const readStatus: Reader = (status) => mapMember(mapMember(status, 'state', stateFrom), 'message', messageFromV03);

const readArtifact: Reader = (artifact) =>
  mapMember(artifact, 'parts', (parts: readonly unknown[]) => parts.map(partFromLegacy));

const readTask: Reader = ({ kind: _kind, ...task }) => {
  const withStatus = mapMember(task, 'status', readStatus);
  const withArtifacts = mapMember(withStatus, 'artifacts', (all: readonly JsonObject[]) => all.map(readArtifact));
  return mapMember(withArtifacts, 'history', (all: readonly unknown[]) => all.map((one) => messageFromV03(one)));
};

/** A 0.3 stream event, or a result of `message/send`, as the 1.0 event it was made of. */
export function eventFromV03(event: JsonObject): JsonObject {
  switch (event.kind) {
    case 'task':
      return { task: readTask(event) };
    case 'message':
      return { message: messageFromV03(event) };
    case 'status-update': {
      const { kind: _kind, final: _final, ...update } = event;
      return { statusUpdate: mapMember(update, 'status', readStatus) };
    }
    case 'artifact-update': {
      const { kind: _kind, ...update } = event;
      return { artifactUpdate: mapMember(update, 'artifact', readArtifact) };
    }
    default:
      throw new Error(`No such kind: ${String(event.kind)}`);
  }
}
