import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { digestOf } from '../../task/task.keys.js';
import type { DueHook, HookRef } from './cursor.store.js';

/** Name of the queue of deliveries. */
export const PUSH_QUEUE = 'pushes';

/** Queues deliveries. A job is only a wake-up: the cursor decides what is sent, so a duplicate job is harmless. */
@Injectable()
export class PushQueue extends JobQueue<HookRef> {
  constructor(@InjectQueue(PUSH_QUEUE) queue: Queue<HookRef>) {
    super(queue, 'push');
  }

  addAll(due: readonly DueHook[]): Promise<void> {
    return this.addJobs(
      due.map(({ taskId, configId, wake }) => ({
        id: `${digestOf(taskId, configId)}-${wake}`,
        data: { taskId, configId },
      })),
    );
  }
}
