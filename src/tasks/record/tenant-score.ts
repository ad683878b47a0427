import type { TaskState } from '@parley/protocol/model/task-state.js';

/** As in lua/lib/record/rank.lua: the tasks of a state have scores of this digit, 0 and 13 digits of ms. */
export const STATE_DIGITS: Readonly<Record<TaskState, number>> = {
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_INPUT_REQUIRED: 3,
  TASK_STATE_AUTH_REQUIRED: 4,
  TASK_STATE_COMPLETED: 5,
  TASK_STATE_FAILED: 6,
  TASK_STATE_CANCELED: 7,
  TASK_STATE_REJECTED: 8,
};

/** The score of a task in the index of its tenant. @param ms time of its status, 13 digits */
export function tenantScore(state: TaskState, ms: string): string {
  return `${String(STATE_DIGITS[state])}0${ms}`;
}
