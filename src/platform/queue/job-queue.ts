import { Logger } from '@nestjs/common';
import type { JobsOptions, Queue, QueueOptions } from 'bullmq';
import type { RedisClient } from '../redis/redis-client.js';

/** A job to add; its id makes adding it twice harmless, and has no `:`, which BullMQ reserves. */
export interface NewJob<T> {
  readonly id: string;
  readonly data: T;
  readonly options?: Pick<JobsOptions, 'delay' | 'priority'>;
}

/** Key prefix of a queue; the braces keep its keys in one slot of Redis Cluster. */
export function queuePrefix(keyPrefix: string, queue: 'queue' | 'push' = 'queue'): string {
  return `{${keyPrefix}-${queue}}`;
}

/** The `BullModule` registration of a queue. BullMQ's event stream is kept short. */
export function queueOptions(connection: RedisClient, prefix: string): QueueOptions {
  return {
    connection,
    prefix,
    streams: { events: { maxLen: 1000 } },
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  };
}

/** The adding side of a BullMQ queue. Jobs are wake-ups: what they carry is an id, and the record decides. */
export abstract class JobQueue<T> {
  private readonly log = new Logger(JobQueue.name);

  protected constructor(
    protected readonly queue: Queue<T, unknown, string, T, unknown, string>,
    private readonly jobName: string,
  ) {
    queue.on('error', (error) => {
      this.log.debug({ event: 'queue.error', queue: queue.name, reason: error.message });
    });
  }

  /** Jobs that wait for a worker. */
  async waiting(): Promise<number> {
    return (await this.counts()).waiting ?? 0;
  }

  /** How many jobs are in which state. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const counts = await this.queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    return { waiting: waiting + prioritized, active, delayed };
  }

  protected async addJobs(jobs: readonly NewJob<T>[]): Promise<void> {
    if (jobs.length === 0) return;
    const bulk = jobs.map(({ id, data, options }) => ({ name: this.jobName, data, opts: { ...options, jobId: id } }));
    await this.queue.addBulk(bulk);
  }
}
