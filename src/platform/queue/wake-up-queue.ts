import { Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Queue, QueueOptions } from 'bullmq';
import { CalmLog } from '../logging/calm-log.js';
import type { RedisClient } from '../redis/connection/redis-client.js';
import { Coalescer } from './coalescer.js';

/** A wake-up has no payload: a woken process reads its work from Redis. */
export type WakeUp = Record<string, never>;

/** Maximum wake-ups in a queue: each wakes one process, and a process fills all its free slots. */
const MAX_WAKE_UPS = 8;

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

/**
 * The adding side of a BullMQ queue of wake-ups. Requests within `everyMs` are merged, and BullMQ ignores the id of a
 * wake-up that already waits: their number does not grow with the waiting work, which keeps the load on the queue's one
 * Cluster slot low.
 */
export abstract class WakeUpQueue implements OnModuleDestroy {
  private readonly log = new Logger(WakeUpQueue.name);
  private readonly failures = new CalmLog(this.log, 'queue.not-woken');
  private readonly requests: Coalescer;
  private turn = 0;

  protected constructor(
    private readonly queue: Queue<WakeUp>,
    everyMs: number,
  ) {
    this.requests = new Coalescer(everyMs, 1, () => void this.add());
    queue.on('error', (error) => {
      this.log.debug({ event: 'queue.error', queue: queue.name, reason: error.message });
    });
  }

  onModuleDestroy(): void {
    this.requests.close();
  }

  /** Wakes one process. Never throws and never waits. */
  protected addWakeUp(): void {
    this.requests.add(1);
  }

  /** Wake-ups that no process has taken. */
  async wakeUps(): Promise<number> {
    return this.queue.getWaitingCount();
  }

  private async add(): Promise<void> {
    this.turn = (this.turn + 1) % MAX_WAKE_UPS;
    try {
      await this.queue.add('wake', {}, { jobId: `w${String(this.turn)}` });
      this.failures.works();
    } catch (error) {
      this.failures.warn({ queue: this.queue.name, reason: String(error) });
    }
  }
}
