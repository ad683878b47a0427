import { Inject, Injectable } from '@nestjs/common';
import { OnWorkerEvent, Processor } from '@nestjs/bullmq';
import { processorProvider, QueueProcessor } from '../../platform/queue/queue-processor.js';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { RUN_QUEUE, RunQueue } from '../queue/run.queue.js';
import { RunFeeder } from './run-feeder.js';
import { RunWorkers } from './run.workers.js';

/** Handles wake-ups: the runs themselves are in the fair queues. */
@Injectable()
@Processor(RUN_QUEUE)
export class RunProcessor extends QueueProcessor {
  constructor(
    private readonly feeder: RunFeeder,
    private readonly queue: RunQueue,
    @Inject(RunWorkers) workers: RunWorkers,
  ) {
    super(workers);
  }

  /** A process that became full passes the wake-up on: another one may have free slots for the remaining runs. */
  protected override async handle(): Promise<void> {
    if (await this.feeder.serve()) this.queue.wake();
  }

  /** A run that arrived while this wake-up ended found its id in use and sent no wake-up; it is found here. */
  @OnWorkerEvent('completed')
  protected onCompleted(): void {
    this.feeder.serveQuietly();
  }
}

/** The processor, on the connection that waits for Redis. */
export const RUN_PROCESSOR = processorProvider(RunProcessor, RUN_QUEUE, RunRedis);
