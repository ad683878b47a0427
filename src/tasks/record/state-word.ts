import type { TaskState } from '@parley/protocol/model/task-state.js';

/** Replaces the nonce of a run: the task is parked until its wait ends. */
export const PARKED = '~';

/**
 * The write guard of a task: one text that scripts compare and replace as a whole (lua/lib/record/word.lua). A run
 * knows the word that it wrote last; if another one is stored, the run has lost the task.
 */
export interface StateWord {
  readonly state: TaskState;
  /** The number of the latest event. */
  readonly seq: number;
  /** Incremented whenever the task is taken from a run, so that every earlier run is stale. */
  readonly fence: number;
  /** The run that holds the task; '' before one begins, `PARKED` while the task waits and holds nothing. */
  readonly nonce: string;
  readonly turn: number;
  /** Runs of this turn since its last progress. */
  readonly attempt: number;
  /** The nonce of the latest event. */
  readonly last: string;
}

export function wordText({ state, seq, fence, nonce, turn, attempt, last }: StateWord): string {
  const holder = nonce === '' ? '-' : nonce;
  return `${state} ${String(seq)} ${String(fence)} ${holder} ${String(turn)} ${String(attempt)} ${last}`;
}

/** Parses a state word from a script's reply or from the record. */
export function stateWord(text: string): StateWord {
  const [state = '', seq, fence, nonce = '-', turn, attempt, last = ''] = text.split(' ');
  return {
    state: state as TaskState,
    seq: Number(seq),
    fence: Number(fence),
    nonce: nonce === '-' ? '' : nonce,
    turn: Number(turn),
    attempt: Number(attempt),
    last,
  };
}
