import { Logger, type OnApplicationBootstrap, type Provider, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job, Worker, WorkerOptions } from 'bullmq';
import type { RedisClient } from '../redis/connection/redis-client.js';
import type { QueueWorkers } from './queue-workers.js';
import type { WakeUp } from './wake-up-queue.js';

/**
 * BullMQ only wakes the process up: its stall counter, which would fail a job for good after two crashes, is disabled,
 * and the record in Redis decides about runs and their number. Workers fetch once the application has started.
 */
const SETTINGS = {
  autorun: false,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  drainDelay: 5,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} as const satisfies Partial<WorkerOptions>;

/** Takes the wake-ups of one queue: the base of every `@Processor` of the service. */
export abstract class QueueProcessor extends WorkerHost<Worker<WakeUp>> implements OnApplicationBootstrap {
  private readonly log = new Logger(QueueProcessor.name);

  protected constructor(private readonly workers: QueueWorkers) {
    super();
  }

  onApplicationBootstrap(): void {
    this.workers.add(this.worker);
    this.worker.run().catch(this.onError.bind(this));
  }

  process(): Promise<void> {
    return this.workers.during(() => this.handle());
  }

  /** Handles one wake-up; an error is logged, and the job is removed. */
  protected abstract handle(): Promise<void>;

  @OnWorkerEvent('error')
  protected onError(error: Error): void {
    this.log.debug({ event: 'worker.error', queue: this.worker.name, reason: error.message });
  }

  @OnWorkerEvent('failed')
  protected onFailed(_job: Job | undefined, error: Error): void {
    this.log.error({ event: 'job.broke', queue: this.worker.name, error });
  }
}

/**
 * The provider of a processor: sets values for `@Processor` that are only known at the start, such as its blocking
 * connection. That waits for Redis, whereas the queue's own fails fast. Concurrency 1 is enough: one wake-up fills all
 * slots of the process.
 */
export function processorProvider(processor: Type<QueueProcessor>, queue: string, connection: symbol): Provider {
  const base: Type<object> = processor;
  return {
    provide: Symbol(processor.name),
    inject: [ModuleRef, connection],
    useFactory: (modules: ModuleRef, redis: RedisClient) => {
      @Processor(queue, { ...SETTINGS, connection: redis, concurrency: 1 })
      class Connected extends base {}

      return modules.create(Connected);
    },
  };
}
