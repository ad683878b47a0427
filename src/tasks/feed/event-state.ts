import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json } from '@parley/protocol/model/json.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The state in an event; undefined for artifact events, which are not parsed. */
export function stateOf(event: Json<StreamResponse>): TaskState | undefined {
  if (event.text.startsWith('{"artifactUpdate"')) return undefined;
  const { value } = event;
  if ('statusUpdate' in value) return value.statusUpdate.status.state;
  return 'task' in value ? value.task.status.state : undefined;
}

/** Whether an event is a statusUpdate, which carries its time. */
export function isStatus({ text }: Json<StreamResponse>): boolean {
  return text.startsWith('{"statusUpdate"');
}
