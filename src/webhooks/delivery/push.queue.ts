import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { type WakeUp, WakeUpQueue } from '../../platform/queue/wake-up-queue.js';

/** Name of the queue of wake-ups of dispatchers. */
export const PUSH_QUEUE = 'pushes';

/** Wake-ups added by this process within this time are merged: every dispatcher also polls each second. */
const EVERY_MS = 250;

/**
 * Wakes another dispatcher when this one is full and due webhooks remain. The outboxes list the due webhooks; there is
 * no job per delivery.
 */
@Injectable()
export class PushQueue extends WakeUpQueue {
  constructor(@InjectQueue(PUSH_QUEUE) queue: Queue<WakeUp>) {
    super(queue, EVERY_MS);
  }

  /** Never throws and never waits. */
  wake(): void {
    this.addWakeUp();
  }
}
