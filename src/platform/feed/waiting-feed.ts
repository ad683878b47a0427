/** A feed of frames that waits while there are none, until its reader or its source ends it. */
export abstract class WaitingFeed<F> implements AsyncIterator<F, void, void> {
  private rouse: () => void = () => undefined;
  private readonly end = new AbortController();

  /** The next frame; undefined while there is none. */
  protected abstract read(): F | undefined;

  /** Aborted when the feed ends. */
  protected get ended(): AbortSignal {
    return this.end.signal;
  }

  /** Reports that a new frame is available. */
  wake(): void {
    this.rouse();
  }

  /** Calls back once, when the feed ends. */
  onClose(close: () => void): void {
    if (this.ended.aborted) close();
    else this.ended.addEventListener('abort', close, { once: true });
  }

  async next(): Promise<IteratorResult<F, void>> {
    while (!this.ended.aborted) {
      const frame = this.read();
      if (frame !== undefined) return { done: false, value: frame };
      await new Promise<void>((rouse) => {
        this.rouse = rouse;
      });
    }
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.end.abort();
    this.wake();
    return Promise.resolve({ done: true, value: undefined });
  }
}
