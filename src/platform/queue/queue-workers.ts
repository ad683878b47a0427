import type { Worker } from 'bullmq';

/** Time for jobs to be acknowledged when the process leaves, once their work has been stopped. */
const CLOSE_MS = 1_000;

/** The BullMQ workers of one queue in this process, seen as one: how much they do, and how they take their leave. */
export class QueueWorkers {
  private readonly workers: Worker[] = [];
  private taken = 0;
  private ended = 0;
  private onIdle: (() => void) | undefined;

  /** @param slots jobs at once, over all workers */
  constructor(readonly slots: number) {}

  /** Jobs that were fetched since the start of the process. */
  get fetched(): number {
    return this.taken;
  }

  /** Jobs under way. */
  get running(): number {
    return this.taken - this.ended;
  }

  add(worker: Worker): void {
    this.workers.push(worker);
  }

  /** Counts a job for as long as its work takes. */
  async during(work: () => Promise<void>): Promise<void> {
    this.taken += 1;
    try {
      await work();
    } finally {
      this.ended += 1;
      if (this.running === 0) this.onIdle?.();
    }
  }

  /**
   * Fetches no more, waits for the work under way, stops what is left after `drainMs`, and waits no longer than it must:
   * `close()` hangs while Redis is away.
   */
  async leave(drainMs: number, stop: () => void): Promise<void> {
    const closed = Promise.all(this.workers.map((worker) => worker.close()));
    const deadline = Date.now() + drainMs;
    // A job that was on its way when the workers stopped fetching is work a moment later.
    await Promise.race([closed, wait(Math.min(drainMs, CLOSE_MS))]);
    if (!(await this.idle(deadline - Date.now()))) {
      stop();
      await this.idle(CLOSE_MS);
    }
    await Promise.race([closed, wait(CLOSE_MS)]);
  }

  /** Resolves when no job is under way, or after `ms`; says which. */
  private async idle(ms: number): Promise<boolean> {
    if (this.running > 0) {
      const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
      await Promise.race([idle, wait(ms)]);
      this.onIdle = undefined;
    }
    return this.running === 0;
  }
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref());
}
