import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { PushOptions } from '../push.options.js';

/** The workers of this process that deliver webhooks. At shutdown, active deliveries may finish; the others are aborted and delayed. */
@Injectable()
export class PushWorkers extends QueueWorkers implements BeforeApplicationShutdown {
  private readonly cut = new AbortController();

  constructor(@Inject(PushOptions) private readonly options: PushOptions) {
    super(options.concurrency);
    // Every attempt listens; that is no leak.
    setMaxListeners(0, this.cut.signal);
  }

  /** Aborts deliveries that are still under way when the process has to go. */
  get leaving(): AbortSignal {
    return this.cut.signal;
  }

  beforeApplicationShutdown(signal?: string): Promise<void> {
    return this.leave(signal === 'SIGINT' ? 0 : this.options.drainMs, () => {
      this.cut.abort(new Error('The process is shutting down'));
    });
  }
}
