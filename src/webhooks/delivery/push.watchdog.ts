import { Injectable } from '@nestjs/common';
import { leaveProcess, ProgressWatchdog, WATCHDOG_EVERY_MS } from '../../platform/queue/progress-watchdog.js';
import { CursorStore } from './cursor.store.js';
import { PushDeliveries } from './push.deliveries.js';
import { PushQueue } from './push.queue.js';
import { PushWorkers } from './push.workers.js';

/** Detects a process that fetches no wake-ups, or delivers no due webhooks although it has free slots. */
@Injectable()
export class PushWatchdog extends ProgressWatchdog {
  constructor(wakeUps: PushWorkers, deliveries: PushDeliveries, queue: PushQueue, cursors: CursorStore) {
    super({
      name: 'deliveries',
      workers: {
        slots: deliveries.slots,
        get fetched() {
          return wakeUps.fetched + deliveries.fetched;
        },
        get running() {
          return deliveries.running;
        },
      },
      queue: { waiting: async () => (await queue.wakeUps()) + (await cursors.counts()).waiting },
      everyMs: WATCHDOG_EVERY_MS,
      giveUp: leaveProcess,
    });
  }
}
