import type { Worker } from 'bullmq';
import { ActiveWork } from './active-work.js';

/** Time for jobs to be acknowledged at shutdown, once their work has been stopped. */
const CLOSE_MS = 1_000;

/** The BullMQ worker of one queue in this process: its concurrency and its shutdown. */
export class QueueWorkers extends ActiveWork {
  private readonly workers: Worker[] = [];

  add(worker: Worker): void {
    this.workers.push(worker);
  }

  /**
   * Stops fetching and waits for the jobs in progress. The workers are closed by force: to interrupt its blocking read,
   * a graceful close disconnects, and on a Cluster BullMQ then reconnects for good.
   */
  async leave(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.pause(true)));
    await this.idle(CLOSE_MS);
    await Promise.all(this.workers.map((worker) => worker.close(true)));
    // A job that was being fetched when the workers were closed.
    await this.idle(CLOSE_MS);
  }
}
