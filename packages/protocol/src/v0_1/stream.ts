import type { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../model/event.js';
import type { Task } from '../model/task.js';
import { endsStream } from '../model/task-state.js';
import type { StreamEncoder, WireCall } from '../codec/codec.js';
import { statedTaskId } from './client-task-id.js';
import { METHOD_RESUBSCRIBE } from './methods.js';
import { artifactToV01, messageAsTask, statusToV01 } from './translate/task.js';
import type { ArtifactEventV01, EventV01, StatusEventV01, TaskV01 } from './types.js';

/**
 * The encoder of one 0.1 stream. 0.1 has no task events: a snapshot goes out as a status event and its artifacts
 * (D01-06). Artifacts are numbered in the order in which this stream met them, which is their order in the task because
 * every stream starts with a snapshot (D01-03). A resubscriber asked for later events only: its first snapshot gives
 * the numbers and the status.
 */
export function streamEncoderV01(call: WireCall): StreamEncoder {
  const stream = new EventsV01(statedTaskId(call.params));
  let onlyLater = call.method === METHOD_RESUBSCRIBE;
  return ({ value }) => {
    if ('message' in value) return texts(stream.direct(messageAsTask(value.message, stream.id)));
    if ('statusUpdate' in value) return texts([stream.status(value.statusUpdate)]);
    if ('artifactUpdate' in value) return texts([stream.artifact(value.artifactUpdate)]);
    const events = stream.snapshot(value.task);
    const wanted = onlyLater ? events.filter((event) => 'status' in event) : events;
    onlyLater = false;
    return texts(wanted);
  };
}

function texts(events: readonly EventV01[]): readonly string[] {
  return events.map((event) => JSON.stringify(event));
}

class EventsV01 {
  private readonly artifactIds: string[] = [];

  constructor(readonly id: string) {}

  /** `final` on the event after which the stream closes (D01-04); in a snapshot of an ended task it comes last. */
  snapshot(task: Task): readonly EventV01[] {
    const status = this.status(task);
    const artifacts = (task.artifacts ?? []).map((artifact) => ({
      id: this.id,
      artifact: artifactToV01(artifact, this.indexOf(artifact.artifactId)),
    }));
    return status.final ? [...artifacts, status] : [status, ...artifacts];
  }

  status({ status, metadata }: Pick<TaskStatusUpdateEvent, 'status' | 'metadata'>): StatusEventV01 {
    return { id: this.id, status: statusToV01(status), final: endsStream(status.state), metadata };
  }

  artifact({ artifact, append, lastChunk, metadata }: TaskArtifactUpdateEvent): ArtifactEventV01 {
    const index = this.indexOf(artifact.artifactId);
    return { id: this.id, artifact: { ...artifactToV01(artifact, index), append, lastChunk }, metadata };
  }

  direct({ id, status, artifacts = [] }: TaskV01): readonly EventV01[] {
    return [...artifacts.map((artifact) => ({ id, artifact })), { id, status, final: true }];
  }

  private indexOf(artifactId: string): number {
    const known = this.artifactIds.indexOf(artifactId);
    return known === -1 ? this.artifactIds.push(artifactId) - 1 : known;
  }
}
