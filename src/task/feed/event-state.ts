import type { StreamResponse } from '../../protocol/event.js';
import type { Json } from '../../protocol/json.js';
import type { TaskState } from '../../protocol/task-state.js';

/** The state that an event tells of; artifact events tell of none, and are not parsed for it. */
export function stateOf(event: Json<StreamResponse>): TaskState | undefined {
  if (event.text.startsWith('{"artifactUpdate"')) return undefined;
  const { value } = event;
  if ('statusUpdate' in value) return value.statusUpdate.status.state;
  return 'task' in value ? value.task.status.state : undefined;
}
