/**
 * Work by key, of which one runs at a time. Requests that come while it runs share the next run: it begins after all of them, so
 * each finds its own change done. So a thousand requests at once cost a few runs.
 */
export class SharedWork<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();

  constructor(private readonly work: (key: string) => Promise<T>) {}

  /** Resolves with the outcome of a run that began after this call. Rejects as that run does. */
  run(key: string): Promise<T> {
    const running = this.running.get(key);
    if (running === undefined) return this.begin(key);
    const next = this.next.get(key) ?? running.then(this.follow(key), this.follow(key));
    this.next.set(key, next);
    return next;
  }

  private follow(key: string): () => Promise<T> {
    return () => {
      this.next.delete(key);
      return this.begin(key);
    };
  }

  private begin(key: string): Promise<T> {
    const run = this.work(key).finally(() => {
      if (this.running.get(key) === run) this.running.delete(key);
    });
    this.running.set(key, run);
    return run;
  }
}
