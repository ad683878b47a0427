import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';

/** The name of a state in addresses: `input-required`. */
export function slugOf(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

export function stateOfSlug(slug: string | undefined): TaskState | undefined {
  return TASK_STATES.find((state) => slugOf(state) === slug);
}
