import { Inject, Injectable } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import { processorProvider, QueueProcessor } from '../../platform/queue/queue-processor.js';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { PUSH_QUEUE } from './push.queue.js';
import { PushRelay } from './push.relay.js';
import { PushWorkers } from './push.workers.js';

/** Takes wake-ups: the webhooks themselves are in the outboxes. */
@Injectable()
@Processor(PUSH_QUEUE)
export class PushProcessor extends QueueProcessor {
  constructor(
    private readonly relay: PushRelay,
    @Inject(PushWorkers) workers: PushWorkers,
  ) {
    super(workers);
  }

  protected override async handle(): Promise<void> {
    await this.relay.poll();
  }
}

/** The processor, on the connection that waits for Redis. */
export const PUSH_PROCESSOR = processorProvider(PushProcessor, PUSH_QUEUE, RunRedis);
