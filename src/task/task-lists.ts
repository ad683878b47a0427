import type { TaskState } from '../protocol/task-state.js';
import type { TaskKeys } from './task.keys.js';

/** Ends that have a list of their own; COMPLETED, the usual one, is what is left of all that have ended. */
const LISTED_ENDS: readonly TaskState[] = ['TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

export function hasOwnList(state: TaskState): boolean {
  return LISTED_ENDS.includes(state);
}

export const ENDS_WITH_LIST = LISTED_ENDS;

/** The sets of one shard in which ListTasks may find a task. */
export interface TaskLists {
  readonly open: string;
  readonly ended: string;
  readonly openOfContext: string;
  readonly endedOfContext: string;
}

export function listsOf(keys: TaskKeys, taskId: string, owner: string, contextId: string): TaskLists {
  const [open, ended] = [keys.open(taskId, owner), keys.ended(taskId, owner)];
  return { open, ended, openOfContext: `${open}:c:${contextId}`, endedOfContext: `${ended}:c:${contextId}` };
}

/** The generated context of a task whose message has none: it is derived from the task's id, and so in no set. */
export function contextOfTask(taskId: string): string {
  return `${taskId.slice(0, 14)}8${taskId.slice(15)}`;
}

/** The task for which the service would have made this context; undefined for one of another form. */
export function taskOfContext(contextId: string): string | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(contextId)
    ? `${contextId.slice(0, 14)}4${contextId.slice(15)}`
    : undefined;
}
