import type { ClaimedRun, CommitOutcome, RunStore, TaskWrite } from '../task/run.store.js';

/** A skill that yields faster than Redis commits waits when this many of its events are on their way. */
const MOST_PENDING = 64;

/**
 * Commits what a run yields, in order. Events that are ready together share one commit: each is still one event of the
 * log, and a skill that yields them at once pays one round trip.
 */
export class RunWriter {
  private pending: TaskWrite[] = [];
  private scheduled: NodeJS.Immediate | undefined;
  private flushing: Promise<void> | undefined;
  private failure: Error | undefined;
  private last: CommitOutcome | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly hold: ClaimedRun,
    private seq: number,
  ) {}

  /** The outcome after which nothing can be written any more, once there is one. */
  get ending(): CommitOutcome | undefined {
    return this.last?.kind === 'committed' ? undefined : this.last;
  }

  /**
   * Accepts an event. Returns nothing if the buffer has room for the next, else a promise that resolves when it has
   * (backpressure). Throws the error of a failed commit.
   */
  write(event: TaskWrite): Promise<void> | undefined {
    this.throwFailure();
    this.pending.push(event);
    // A skill that yields without waiting for anything has yielded all it can before the next turn of the event loop.
    if (this.flushing === undefined) this.scheduled ??= setImmediate(this.flushNow);
    return this.pending.length < MOST_PENDING ? undefined : this.room();
  }

  /** Commits what there is, now, and resolves with the outcome of the last commit. */
  async settled(): Promise<CommitOutcome | undefined> {
    if (this.scheduled !== undefined) this.flushNow();
    await this.flushing;
    this.throwFailure();
    return this.last;
  }

  private async room(): Promise<void> {
    await this.settled();
  }

  private readonly flushNow = (): void => {
    clearImmediate(this.scheduled);
    this.scheduled = undefined;
    this.flushing = this.flush();
  };

  private async flush(): Promise<void> {
    try {
      while (this.pending.length > 0 && this.ending === undefined) {
        const batch = this.pending.splice(0, MOST_PENDING);
        this.last = await this.store.commit(this.hold, this.seq, batch);
        if (this.last.kind === 'committed') this.seq = this.last.seq;
      }
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.flushing = undefined;
    }
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
