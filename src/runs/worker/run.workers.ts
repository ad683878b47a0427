import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { ActiveRuns } from '../keeper/active-runs.js';
import { RunSlots } from './run-slots.js';
import { WorkerOptions } from '../worker.options.js';

/** Time to hand over runs once they have been stopped. */
const HAND_OVER_MS = 1_000;

/** The worker of this process for wake-ups, and the shutdown of its runs: they may end; the rest is handed over. */
@Injectable()
export class RunWorkers extends QueueWorkers implements BeforeApplicationShutdown {
  constructor(
    private readonly active: ActiveRuns,
    private readonly runSlots: RunSlots,
    @Inject(WorkerOptions) private readonly options: WorkerOptions,
  ) {
    super(1);
  }

  /** After Ctrl-C a person waits at the terminal, so active runs are requeued at once. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    this.runSlots.close();
    const closed = this.leave();
    if (!(await this.runSlots.emptyWithin(signal === 'SIGINT' ? 0 : this.options.drainMs))) {
      this.active.stopAll('leaving');
      await this.runSlots.emptyWithin(HAND_OVER_MS);
    }
    await closed;
  }
}
