/** Tasks and events of the 0.3 HTTP+JSON binding: proto state names with two L in CANCELLED, wrapped events, `final`. */
import type { StreamResponse } from '../../model/event.js';
import type { Artifact, Task, TaskStatus } from '../../model/task.js';
import { endsStream } from '../../model/task-state.js';
import type { FileForm } from './file-form.js';
import { messageToProto, partToProto } from './message.js';
import type { ProtoArtifact, ProtoStatus, ProtoTask } from './types.js';

export function taskToProto(task: Task, files: FileForm): ProtoTask {
  return {
    ...task,
    status: statusToProto(task.status, files),
    artifacts: task.artifacts?.map((artifact) => artifactToProto(artifact, files)),
    history: task.history?.map((message) => messageToProto(message, files)),
  };
}

/** A stream event, still without its JSON text: one of `task`, `message`, `statusUpdate`, `artifactUpdate`. */
export function eventToProto(event: StreamResponse, files: FileForm): Readonly<Record<string, unknown>> {
  if ('task' in event) return { task: taskToProto(event.task, files) };
  if ('message' in event) return { message: messageToProto(event.message, files) };
  if ('artifactUpdate' in event) {
    const { artifactUpdate } = event;
    return { artifactUpdate: { ...artifactUpdate, artifact: artifactToProto(artifactUpdate.artifact, files) } };
  }
  const { statusUpdate } = event;
  const final = endsStream(statusUpdate.status.state);
  return { statusUpdate: { ...statusUpdate, status: statusToProto(statusUpdate.status, files), final } };
}

function statusToProto({ state, message, timestamp }: TaskStatus, files: FileForm): ProtoStatus {
  return {
    state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
    message: message && messageToProto(message, files),
    timestamp,
  };
}

function artifactToProto(artifact: Artifact, files: FileForm): ProtoArtifact {
  return { ...artifact, parts: artifact.parts.map((part) => partToProto(part, files)) };
}
