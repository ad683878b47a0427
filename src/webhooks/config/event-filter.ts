import type { StreamResponse } from '@parley/protocol/model/event.js';
import { isTerminal, TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import type { LoggedEvent } from '../../tasks/commit/event-log.js';

/** The event filter of a webhook: all statuses, all artifacts, or the statuses of certain states. */
export type EventKind = 'status' | 'artifact' | TaskState;

export function isEventKind(text: string): text is EventKind {
  return text === 'status' || text === 'artifact' || (TASK_STATES as readonly string[]).includes(text);
}

/** Whether an event passes the filter; without a filter all do. The snapshot at task creation counts as a status. */
function isWanted(event: StreamResponse, kinds: readonly EventKind[] | undefined): boolean {
  if (kinds === undefined || kinds.length === 0) return true;
  if ('artifactUpdate' in event) return kinds.includes('artifact');
  const state = stateOf(event);
  return state === undefined || kinds.includes('status') || kinds.includes(state);
}

/** The state in an event; undefined for an artifact or a message. */
function stateOf(event: StreamResponse): TaskState | undefined {
  if ('statusUpdate' in event) return event.statusUpdate.status.state;
  return 'task' in event ? event.task.status.state : undefined;
}

/** Whether an event is obsolete after a newer status: a status that is not the last one. */
function isReplaceable(event: StreamResponse): boolean {
  const state = stateOf(event);
  return state !== undefined && !isTerminal(state);
}

/**
 * The next event to deliver from the cursor on; undefined when the filter passes none. While a receiver fails, statuses
 * superseded by a newer one are skipped. Artifacts and the last status of a task are never skipped (A2A-PN-08).
 */
export function nextEvent(
  events: readonly LoggedEvent[],
  kinds: readonly EventKind[] | undefined,
  isInTrouble: boolean,
): LoggedEvent | undefined {
  const wanted = events.filter(({ event }) => isWanted(event.value, kinds));
  if (!isInTrouble) return wanted[0];
  const newest = wanted.findLast(({ event }) => stateOf(event.value) !== undefined);
  return wanted.find((logged) => logged === newest || !isReplaceable(logged.event.value));
}
