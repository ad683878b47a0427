/** What work costs the event loop that it runs in. */
export interface LoopDelay<T> {
  readonly result: T;
  /** Processor time of the longest turn of the event loop, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Runs work and watches the event loop from turn to turn. It counts the time of the processor, not of the clock: what
 * other programs of a busy machine take away is no fault of the work.
 */
export async function loopDelayOf<T>(work: () => Promise<T>): Promise<LoopDelay<T>> {
  let longest = 0;
  let before = process.cpuUsage();
  let watching = true;
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    return { result: await work(), longestMs: longest };
  } finally {
    watching = false;
  }
}
