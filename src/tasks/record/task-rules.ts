import {
  INTERRUPTED_STATES,
  isTerminal,
  statesLeadingTo,
  TASK_STATES,
  type TaskState,
} from '@parley/protocol/model/task-state.js';

/** A list of states in searchable form: a space around each. */
function listed(states: readonly TaskState[]): string {
  return ` ${states.join(' ')} `;
}

/** The state machine of `task-state.ts` of @parley/protocol in the form of scripts. */
export const OPEN_STATES = listed(TASK_STATES.filter((state) => !isTerminal(state)));
export const CLOSED_STATES = listed(TASK_STATES.filter(isTerminal));
export const WAITING_STATES = listed(INTERRUPTED_STATES);

const LEADING_TO = new Map(TASK_STATES.map((state) => [state, listed(statesLeadingTo(state))]));

/** The states from which a task may move to `state`. */
export function leadingTo(state: TaskState): string {
  return LEADING_TO.get(state) ?? '  ';
}
