import { Injectable } from '@nestjs/common';
import { leaveProcess, ProgressWatchdog, WATCHDOG_EVERY_MS } from '../platform/queue/progress-watchdog.js';
import { RunQueue } from './queue/run.queue.js';
import { RunWorkers } from './run.workers.js';

/** Notices when this process has stopped to fetch runs. */
@Injectable()
export class RunWatchdog extends ProgressWatchdog {
  constructor(workers: RunWorkers, queue: RunQueue) {
    super({ name: 'progress', workers, queue, everyMs: WATCHDOG_EVERY_MS, giveUp: leaveProcess });
  }
}
