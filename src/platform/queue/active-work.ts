/** Work under way in this process, counted: how much there was and is, and when it has ended. */
export class ActiveWork {
  private taken = 0;
  private ended = 0;
  private onIdle: (() => void) | undefined;

  /** @param slots work at once */
  constructor(readonly slots: number) {}

  /** Work that was begun since the start of the process. */
  get fetched(): number {
    return this.taken;
  }

  /** Work under way. */
  get running(): number {
    return this.taken - this.ended;
  }

  /** Counts work for as long as it takes. */
  async during(work: () => Promise<void>): Promise<void> {
    this.taken += 1;
    try {
      await work();
    } finally {
      this.ended += 1;
      if (this.running === 0) this.onIdle?.();
    }
  }

  /** Resolves when no work is under way, or after `ms`; says which. */
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
