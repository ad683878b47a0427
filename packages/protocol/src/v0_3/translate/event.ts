/** Events: 1.0 wraps them by name; 0.3 sends the bare object with `kind`, and `final` on status updates. */
import type { StreamResponse } from '../../model/event.js';
import { endsStream } from '../../model/task-state.js';
import type { EventV03 } from '../types.js';
import { messageToV03 } from './message.js';
import { artifactToV03, statusToV03, taskToV03 } from './task.js';

/** `final` is true on the event after which the stream closes (V03-FINAL, TRAP-56). */
export function eventToV03(event: StreamResponse): EventV03 {
  if ('task' in event) return taskToV03(event.task);
  if ('message' in event) return messageToV03(event.message);
  if ('statusUpdate' in event) {
    const { statusUpdate } = event;
    const final = endsStream(statusUpdate.status.state);
    return { ...statusUpdate, kind: 'status-update', status: statusToV03(statusUpdate.status), final };
  }
  const { artifactUpdate } = event;
  return { ...artifactUpdate, kind: 'artifact-update', artifact: artifactToV03(artifactUpdate.artifact) };
}
