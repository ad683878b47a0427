/** Tasks and events of the 0.3 HTTP+JSON binding: proto state names with two L in CANCELLED, wrapped events, `final`. */
import type { StreamResponse } from '../../../protocol/event.js';
import type { Artifact, Task, TaskStatus } from '../../../protocol/task.js';
import { endsStream } from '../../../protocol/task-state.js';
import { messageToProto, partToProto } from './message.js';
import type { ProtoArtifact, ProtoStatus, ProtoTask } from './types.js';

export function taskToProto(task: Task): ProtoTask {
  return {
    ...task,
    status: statusToProto(task.status),
    artifacts: task.artifacts?.map(artifactToProto),
    history: task.history?.map(messageToProto),
  };
}

/** A stream event, still without its JSON text: one of `task`, `message`, `statusUpdate`, `artifactUpdate`. */
export function eventToProto(event: StreamResponse): Readonly<Record<string, unknown>> {
  if ('task' in event) return { task: taskToProto(event.task) };
  if ('message' in event) return { message: messageToProto(event.message) };
  if ('artifactUpdate' in event) {
    const { artifactUpdate } = event;
    return { artifactUpdate: { ...artifactUpdate, artifact: artifactToProto(artifactUpdate.artifact) } };
  }
  const { statusUpdate } = event;
  const final = endsStream(statusUpdate.status.state);
  return { statusUpdate: { ...statusUpdate, status: statusToProto(statusUpdate.status), final } };
}

function statusToProto({ state, message, timestamp }: TaskStatus): ProtoStatus {
  return {
    state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
    message: message && messageToProto(message),
    timestamp,
  };
}

function artifactToProto(artifact: Artifact): ProtoArtifact {
  return { ...artifact, parts: artifact.parts.map(partToProto) };
}
