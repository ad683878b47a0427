/** Lets one in at a time, in the order of arrival. */
export class Turnstile {
  private last: Promise<void> = Promise.resolve();

  /** Waits for those before; the function returned lets the next one in. Throws the signal's reason when it aborts first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const before = this.last;
    let leave = (): void => undefined;
    this.last = new Promise((resolve) => {
      leave = resolve;
    });
    try {
      await unlessAborted(before, signal);
    } catch (error) {
      // The position in the queue stays until its turn comes, and is then passed on at once.
      void before.then(leave);
      throw error;
    }
    return leave;
  }
}

/** Waits for a promise that never rejects, or throws the signal's reason. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([promise, aborted]);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
}
