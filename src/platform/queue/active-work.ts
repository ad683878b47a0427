/** Counts the work in progress in this process, and waits for its end. */
export class ActiveWork {
  private taken = 0;
  private ended = 0;
  private onIdle: (() => void) | undefined;

  /** @param slots maximum concurrency */
  constructor(readonly slots: number) {}

  /** Work started since the start of the process. */
  get fetched(): number {
    return this.taken;
  }

  /** Work in progress. */
  get running(): number {
    return this.taken - this.ended;
  }

  /** Counts work while it runs. */
  async during(work: () => Promise<void>): Promise<void> {
    this.taken += 1;
    try {
      await work();
    } finally {
      this.ended += 1;
      if (this.running === 0) this.onIdle?.();
    }
  }

  /** Resolves when no work is in progress, or after `ms`; returns which. */
  async idle(ms: number): Promise<boolean> {
    if (this.running > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.onIdle = resolve;
        timer = setTimeout(resolve, Math.max(0, ms)).unref();
      });
      clearTimeout(timer);
      this.onIdle = undefined;
    }
    return this.running === 0;
  }
}
