import type { CallInput, CallOutcome } from './calls/call.js';
import { turnContent } from './turn-content.js';

/**
 * What takes back a finished step or call when its task fails or is canceled: a skill and its input. It is data, since no
 * function survives the process that has it.
 */
export interface Undo {
  /** The skill that takes the work back. */
  readonly skill: string;
  /** Its input. Default for a call: the output of the called skill, or its text. A step without it gives an empty text. */
  readonly input?: CallInput;
  /** Further tries after a failure, with pauses of `backoffMs`, doubled each time. Default: 5, from 1,000 ms. */
  readonly retry?: { readonly times: number; readonly backoffMs?: number };
  /** Time limit of one try, ms. Default: 15 minutes. */
  readonly timeoutMs?: number;
}

/** How a step is run. */
export interface StepOptions<T> {
  /** Stored with the result; a function gets the result, is called once, and may say that there is nothing to undo. */
  readonly undo?: Undo | ((result: T) => Undo | undefined);
}

/** The undo of finished work. */
export function undoOf<T>({ undo }: StepOptions<T>, result: T): Undo | undefined {
  return typeof undo === 'function' ? undo(result) : undo;
}

/** The result of a call as the input of what takes it back: its output, or its text; '' where there is none. */
export function inputOfResult(outcome: CallOutcome | undefined): CallInput {
  if (outcome === undefined || 'why' in outcome) return '';
  const { artifacts, message } = outcome;
  const parts = artifacts.length === 0 ? message : artifacts.flatMap((one) => one.parts);
  const { text, data } = turnContent([{ parts }]);
  return data.length === 0 ? text : [{ data: data[0] }];
}
