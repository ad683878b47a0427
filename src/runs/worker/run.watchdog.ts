import { Injectable } from '@nestjs/common';
import { leaveProcess, ProgressWatchdog, WATCHDOG_EVERY_MS } from '../../platform/queue/progress-watchdog.js';
import { ActiveRuns } from '../keeper/active-runs.js';
import { RunQueue } from '../queue/run.queue.js';
import { RunFeeder } from './run-feeder.js';
import { RunSlots } from './run-slots.js';
import { RunWorkers } from './run.workers.js';

/** Detects a process that fetches no wake-ups, or starts no runs although it has free slots. */
@Injectable()
export class RunWatchdog extends ProgressWatchdog {
  constructor(wakeUps: RunWorkers, queue: RunQueue, slots: RunSlots, active: ActiveRuns, feeder: RunFeeder) {
    super({
      name: 'progress',
      workers: {
        slots: slots.count,
        get fetched() {
          return wakeUps.fetched + active.begun;
        },
        get running() {
          return active.count;
        },
      },
      queue: { waiting: async () => (await queue.wakeUps()) + (await feeder.waiting()) },
      everyMs: WATCHDOG_EVERY_MS,
      giveUp: leaveProcess,
    });
  }
}
