import type { Order } from './caller.js';

/** Events that one reader of a task's stream received. */
export interface Reading {
  readonly taskId: string | undefined;
  /** In the order of arrival; the first may be the task as it stood, whose data is ''. */
  readonly events: readonly { readonly seq: number; readonly data: string }[];
  /** Faults of a stream itself, in words. */
  readonly faults: readonly string[];
  /** Whether it came for the first time when the task had ended, and there was nothing to read any more. */
  readonly isTooLate?: boolean;
}

/** One event as received by a webhook. */
export interface Notice {
  readonly taskId: string;
  readonly seq: number;
  readonly body: string;
}

/** The recorded calls, responses, stream events and deliveries: the input of the checker. */
export interface History {
  readonly orders: Order[];
  /** Task ids that a message was answered with; more than one is a fault. */
  readonly accepted: Map<string, Set<string>>;
  /** Tasks whose cancel was confirmed to a caller. */
  readonly canceled: Set<string>;
  /** Message ids of the answers that were taken, by task. */
  readonly answered: Map<string, Set<string>>;
  /** Calls that were answered by an error that the service should not have given. */
  readonly refusals: string[];
  readonly readings: Reading[];
  readonly notices: readonly Notice[];
  tries: number;
}

/** @param notices where the receiver of webhooks writes them down, if there is one */
export function emptyHistory(notices: readonly Notice[] = []): History {
  return {
    ...{ orders: [], accepted: new Map(), canceled: new Set(), answered: new Map(), refusals: [] },
    ...{ readings: [], notices, tries: 0 },
  };
}

const ENDS = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

export function isTerminalState(state: string | undefined): boolean {
  return state !== undefined && ENDS.includes(state);
}

/** Whether the text of an event reports a task's end. */
export function isEnd(body: string): boolean {
  return body.includes('"statusUpdate"') && ENDS.some((state) => body.includes(`"${state}"`));
}
