import type { Undo } from './calls/call.js';

/** How a step is run. */
export interface StepOptions<T> {
  /** Stored with the result; a function gets the result, is called once, and may say that there is nothing to undo. */
  readonly undo?: Undo | ((result: T) => Undo | undefined);
  /**
   * `none`: the work has no effect outside, so its result needs no write of its own: it is stored with the next one of the run. A run
   * that is lost before, at most milliseconds later, repeats the work.
   */
  readonly effects?: 'none';
}

/** The undo of finished work. */
export function undoOf<T>({ undo }: StepOptions<T>, result: T): Undo | undefined {
  return typeof undo === 'function' ? undo(result) : undo;
}
