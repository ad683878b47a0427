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
   * Fetches no more, waits for the work under way and stops what is left after `drainMs`. The workers are closed by force:
   * to interrupt its blocking read, a graceful close disconnects, and on a Cluster BullMQ then connects again for good.
   */
  async leave(drainMs: number, stop: () => void): Promise<void> {
    const deadline = Date.now() + drainMs;
    await Promise.all(this.workers.map((worker) => worker.pause(true)));
    if (!(await this.idle(deadline - Date.now()))) {
      stop();
      await this.idle(CLOSE_MS);
    }
    await Promise.all(this.workers.map((worker) => worker.close(true)));
    // A job that was being fetched when the workers were closed.
    if (this.running > 0) {
      stop();
      await this.idle(CLOSE_MS);
    }
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
