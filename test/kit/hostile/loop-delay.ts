import { threadMs } from '@parley/sdk/skill/schema/thread-time.js';

/** What work costs the event loop that it runs in. */
export interface LoopDelay<T> {
  readonly result: T;
  /** Processor time of the longest turn of the event loop, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Runs work and watches the event loop from turn to turn. It counts the time that its thread has the processor, not
 * that of the clock: what others take on a busy machine is no fault of the work.
 */
export async function loopDelayOf<T>(work: () => Promise<T>): Promise<LoopDelay<T>> {
  let longest = 0;
  let before = threadMs();
  let watching = true;
  const turn = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    return { result: await work(), longestMs: longest };
  } finally {
    watching = false;
  }
}

/** Processor time of work that is done in one turn of the event loop, in milliseconds. */
export function turnMs(work: () => unknown): number {
  const before = threadMs();
  work();
  return threadMs() - before;
}
