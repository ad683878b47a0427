/**
 * Serialises work by key. Requests during a run share the next one, which begins after all of them and so covers each
 * of their changes: a thousand concurrent requests cost a few runs.
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
