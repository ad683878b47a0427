import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { PushOptions } from '../push.options.js';
import { PushDeliveries } from './push.deliveries.js';

/** The worker of this process that takes wake-ups of dispatchers, and the end of its deliveries. */
@Injectable()
export class PushWorkers extends QueueWorkers implements BeforeApplicationShutdown {
  constructor(
    private readonly deliveries: PushDeliveries,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {
    super(1);
  }

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    await Promise.all([this.leave(), this.deliveries.leave(signal === 'SIGINT' ? 0 : this.options.drainMs)]);
  }
}
