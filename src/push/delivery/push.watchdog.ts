import { Injectable } from '@nestjs/common';
import { leaveProcess, ProgressWatchdog, WATCHDOG_EVERY_MS } from '../../platform/queue/progress-watchdog.js';
import { PushQueue } from './push.queue.js';
import { PushWorkers } from './push.workers.js';

/** Detects that this process has stopped fetching deliveries. */
@Injectable()
export class PushWatchdog extends ProgressWatchdog {
  constructor(workers: PushWorkers, queue: PushQueue) {
    super({ name: 'deliveries', workers, queue, everyMs: WATCHDOG_EVERY_MS, giveUp: leaveProcess });
  }
}
