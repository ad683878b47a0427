import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { digestOf } from '../../task/task.keys.js';
import type { DueHook, HookRef } from './cursor.store.js';

/** Name of the queue of deliveries. */
export const PUSH_QUEUE = 'pushes';

/** What the keys of the queue begin with; the braces keep them in one slot of Redis Cluster, apart from other queues. */
export function pushQueuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}-push}`;
}

/** Asks for deliveries. A job is only a wake-up: the cursor decides what is sent, so a job too many is harmless. */
@Injectable()
export class PushQueue {
  private readonly log = new Logger(PushQueue.name);

  constructor(@InjectQueue(PUSH_QUEUE) private readonly queue: Queue<HookRef>) {
    queue.on('error', (error) => {
      this.log.debug({ event: 'queue.error', reason: error.message });
    });
  }

  async addAll(due: readonly DueHook[]): Promise<void> {
    if (due.length === 0) return;
    await this.queue.addBulk(
      due.map(({ taskId, configId, wake }) => ({
        name: 'push',
        data: { taskId, configId },
        opts: { jobId: `${digestOf(taskId, configId)}-${wake}` },
      })),
    );
  }

  /** Jobs that wait for a dispatcher. */
  async waiting(): Promise<number> {
    return this.queue.getWaitingCount();
  }

  /** How many jobs are in which state. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    return this.queue.getJobCounts('waiting', 'active');
  }
}
