import { Inject, Injectable } from '@nestjs/common';
import { OnWorkerEvent, Processor } from '@nestjs/bullmq';
import { processorProviders, QueueProcessor } from '../platform/queue/queue-processor.js';
import { RunRedis } from '../platform/redis/connections.js';
import { RUN_QUEUE, RunQueue, type WakeUp } from './queue/run.queue.js';
import { RunFeeder } from './run-feeder.js';
import { RunWorkers } from './run.workers.js';

/** Takes wake-ups: the runs themselves are in the fair queues. */
@Injectable()
@Processor(RUN_QUEUE)
export class RunProcessor extends QueueProcessor<WakeUp> {
  constructor(
    private readonly feeder: RunFeeder,
    private readonly queue: RunQueue,
    @Inject(RunWorkers) workers: RunWorkers,
  ) {
    super(workers);
  }

  /** A process that had places and is full now passes the wake-up on: another one may have room for what is left. */
  protected override async handle(): Promise<void> {
    if (await this.feeder.serve()) this.queue.wake();
  }

  /** A run that came while this wake-up ended found its id in use and woke nobody: it is found now. */
  @OnWorkerEvent('completed')
  protected onCompleted(): void {
    this.feeder.serveQuietly();
  }
}

/** One wake-up at a time is enough for a process: it serves all places. */
export const RUN_PROCESSORS = processorProviders(RunProcessor, {
  ...{ queue: RUN_QUEUE, connection: RunRedis },
  ...{ slots: 1, slotsEach: 1 },
});
