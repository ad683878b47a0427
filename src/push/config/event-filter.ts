import type { StreamResponse } from '../../protocol/event.js';
import { isTerminal, TASK_STATES, type TaskState } from '../../protocol/task-state.js';

/** What a webhook may ask to hear of: all statuses, all artifacts, or the statuses of certain states. */
export type EventWish = 'status' | 'artifact' | TaskState;

export function isEventWish(text: string): text is EventWish {
  return text === 'status' || text === 'artifact' || (TASK_STATES as readonly string[]).includes(text);
}

/** Whether a webhook wants an event; without wishes it wants all. The snapshot that begins a task counts as a status. */
export function isWanted(event: StreamResponse, wishes: readonly EventWish[] | undefined): boolean {
  if (wishes === undefined || wishes.length === 0) return true;
  if ('artifactUpdate' in event) return wishes.includes('artifact');
  const state = stateOf(event);
  return state === undefined || wishes.includes('status') || wishes.includes(state);
}

/** The state that an event tells; undefined for an artifact or a message. */
export function stateOf(event: StreamResponse): TaskState | undefined {
  if ('statusUpdate' in event) return event.statusUpdate.status.state;
  return 'task' in event ? event.task.status.state : undefined;
}

/** Whether an event is worth nothing once a newer status is there: a status that is not the last one. */
export function isReplaceable(event: StreamResponse): boolean {
  const state = stateOf(event);
  return state !== undefined && !isTerminal(state);
}
