/** The states of a task (A2A 1.0 `TaskState`; §2.3 of the requirements has the table). */
export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
] as const;

export type TaskState = (typeof TASK_STATES)[number];

export const TERMINAL_STATES = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
] as const satisfies readonly TaskState[];

export const INTERRUPTED_STATES = [
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
] as const satisfies readonly TaskState[];

const AFTER_START = [
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  ...TERMINAL_STATES,
] as const satisfies readonly TaskState[];

/**
 * From each state, the states a task may move to. WORKING → WORKING is progress. Terminal states lead nowhere
 * (A2A-STATE-01): a task has exactly one terminal event and nothing after it.
 */
export const TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  TASK_STATE_SUBMITTED: AFTER_START,
  TASK_STATE_WORKING: AFTER_START,
  TASK_STATE_INPUT_REQUIRED: AFTER_START,
  TASK_STATE_AUTH_REQUIRED: AFTER_START,
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};

/** The states from which a move to `to` is legal; scripts compare against this list and know no rule of their own. */
export function statesLeadingTo(to: TaskState): readonly TaskState[] {
  return TASK_STATES.filter((from) => TRANSITIONS[from].includes(to));
}

export function isTerminal(state: TaskState): boolean {
  return TRANSITIONS[state].length === 0;
}

export function isInterrupted(state: TaskState): boolean {
  return (INTERRUPTED_STATES as readonly TaskState[]).includes(state);
}

/** Terminal or interrupted: a blocking call returns here (A2A-SEND-02, A2A-BLK-01). */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** Whether a stream ends after this state: terminal and INPUT_REQUIRED close it, AUTH_REQUIRED keeps it open (A2A-STRM-04). */
export function endsStream(state: TaskState): boolean {
  return isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED';
}
