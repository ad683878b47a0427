import { Logger, type OnApplicationBootstrap, type Provider, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job, Worker, WorkerOptions } from 'bullmq';
import type { RedisClient } from '../redis/redis-client.js';
import type { QueueWorkers } from './queue-workers.js';

/**
 * BullMQ only wakes us up: its stall counter would fail a job for good after two crashes, so it is out of the way, and
 * the record in Redis decides what runs how often. Workers fetch when the application has started.
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

/** Takes the jobs of one queue: the base of every `@Processor` of the service. */
export abstract class QueueProcessor<T extends object> extends WorkerHost<Worker<T>> implements OnApplicationBootstrap {
  private readonly log = new Logger(QueueProcessor.name);

  protected constructor(private readonly workers: QueueWorkers) {
    super();
  }

  onApplicationBootstrap(): void {
    this.workers.add(this.worker);
    this.worker.run().catch(this.onError.bind(this));
  }

  process(job: Job<T>): Promise<void> {
    return this.workers.during(() => this.handle(job));
  }

  /** One job; what it throws is logged, and the job is gone. */
  protected abstract handle(job: Job<T>): Promise<void>;

  @OnWorkerEvent('error')
  protected onError(error: Error): void {
    this.log.debug({ event: 'worker.error', queue: this.worker.name, reason: error.message });
  }

  @OnWorkerEvent('failed')
  protected onFailed(job: Job<T> | undefined, error: Error): void {
    this.log.error({ event: 'job.broke', queue: this.worker.name, ...job?.data, error });
  }
}

/** Over how many BullMQ workers the slots of a processor are spread, and on which connection they block. */
export interface ShardOptions {
  readonly queue: string;
  readonly slots: number;
  /**
   * Slots of one worker. More make every instant job pay for idle ones; fewer make jobs wait, since a worker fetches one
   * at a time.
   */
  readonly slotsEach: number;
  /** Token of the connection: one that waits for Redis, where the queue's own fails fast. */
  readonly connection: symbol;
}

/** The providers of a processor: one for each of its workers. `@Processor` of each says what is known only at the start. */
export function processorProviders<T extends object>(
  processor: Type<QueueProcessor<T>>,
  { queue, slots, slotsEach, connection }: ShardOptions,
): Provider[] {
  const base: Type<object> = processor;
  return Array.from({ length: Math.ceil(slots / slotsEach) }, (_unused, at) => ({
    provide: Symbol(`${processor.name} ${String(at)}`),
    inject: [ModuleRef, connection],
    useFactory: (modules: ModuleRef, redis: RedisClient) => {
      const concurrency = Math.min(slotsEach, slots - at * slotsEach);

      @Processor(queue, { ...SETTINGS, connection: redis, concurrency })
      class Shard extends base {}

      return modules.create(Shard);
    },
  }));
}
