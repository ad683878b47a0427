/** Concurrency limit of calls to one server; further calls wait in order. */
export class CallSlots {
  private readonly waiting: (() => void)[] = [];
  private used = 0;

  constructor(private readonly most: number) {}

  /** Runs the work in a slot. @throws the reason of the signal, and errors of the work */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.used >= this.most) await this.turn(signal);
    else this.used += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.used -= 1;
      else next();
    }
  }

  /** Resolves with the slot of an ended call. */
  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const at = this.waiting.indexOf(take);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(
          signal.reason instanceof Error ? signal.reason : new DOMException('The call was canceled', 'AbortError'),
        );
      };
      signal.throwIfAborted();
      this.waiting.push(take);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
