import { Inject, Injectable } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { processorProviders, QueueProcessor } from '../../platform/queue/queue-processor.js';
import { RunRedis } from '../../platform/redis/connections.js';
import type { HookRef } from './cursor.store.js';
import { PUSH_QUEUE } from './push.queue.js';
import { PushRunner } from './push.runner.js';
import { PushWorkers } from './push.workers.js';

const SLOTS_EACH = 10;

/** Takes deliveries from the queue; cursors and their leases decide what is sent. */
@Injectable()
@Processor(PUSH_QUEUE)
export class PushProcessor extends QueueProcessor<HookRef> {
  constructor(
    private readonly runner: PushRunner,
    @Inject(PushWorkers) private readonly pushWorkers: PushWorkers,
  ) {
    super(pushWorkers);
  }

  protected override handle(job: Job<HookRef>): Promise<void> {
    return this.runner.run(job.data, this.pushWorkers.leaving);
  }
}

/** The workers of a process that delivers so many webhooks at once. */
export function pushProcessors(slots: number): ReturnType<typeof processorProviders> {
  return processorProviders(PushProcessor, {
    ...{ queue: PUSH_QUEUE, connection: RunRedis },
    ...{ slots, slotsEach: SLOTS_EACH },
  });
}
