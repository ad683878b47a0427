import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { QueueWorkers } from '../platform/queue/queue-workers.js';
import { ActiveRuns } from './active-runs.js';
import { WorkerOptions } from './worker.options.js';

/** The workers of this process that run skills. When it leaves, skills may end; the tasks of the rest are handed over. */
@Injectable()
export class RunWorkers extends QueueWorkers implements BeforeApplicationShutdown {
  constructor(
    private readonly active: ActiveRuns,
    @Inject(WorkerOptions) private readonly options: WorkerOptions,
  ) {
    super(options.concurrency);
  }

  /** After a Ctrl-C somebody is waiting, so running skills are handed over at once. */
  beforeApplicationShutdown(signal?: string): Promise<void> {
    return this.leave(signal === 'SIGINT' ? 0 : this.options.drainMs, () => {
      this.active.stopAll('leaving');
    });
  }
}
