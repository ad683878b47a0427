import { Inject, Injectable } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { processorProviders, QueueProcessor } from '../platform/queue/queue-processor.js';
import { RunRedis } from '../platform/redis/connections.js';
import { dueAt, RUN_QUEUE, type RunJob } from './queue/run.queue.js';
import { RunWorkers } from './run.workers.js';
import { SkillRunner } from './skill-runner.js';

const SLOTS_EACH = 7;

/** Takes runs from the queue; leases and attempts of the task decide whether they run. */
@Injectable()
@Processor(RUN_QUEUE)
export class RunProcessor extends QueueProcessor<RunJob> {
  constructor(
    private readonly runner: SkillRunner,
    @Inject(RunWorkers) workers: RunWorkers,
  ) {
    super(workers);
  }

  protected override async handle(job: Job<RunJob>, token?: string): Promise<void> {
    const outcome = await this.runner.run(job.data, dueAt(job));
    if (outcome.kind === 'no-slot') await this.giveBack(job, token, outcome.pauseMs);
  }
}

/** The workers of a process that runs so many skills at once. */
export function runProcessors(slots: number): ReturnType<typeof processorProviders> {
  return processorProviders(RunProcessor, {
    ...{ queue: RUN_QUEUE, connection: RunRedis },
    ...{ slots, slotsEach: SLOTS_EACH },
  });
}
