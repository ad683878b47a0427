import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Coalescer } from '../../platform/queue/coalescer.js';
import { type WakeUp, WakeUpQueue } from '../../platform/queue/wake-up-queue.js';
import { FairQueue } from '../../tasks/store/fair-queue.js';
import { IdleWorkers } from './idle-workers.js';

/** Name of the queue of wake-ups. */
export const RUN_QUEUE = 'runs';

/** Maximum processes that are woken at once. */
const MAX_HINTS = 8;
/** Hints of this process within this time are merged. */
const HINTS_MS = 3;
/** The same for jobs, which are used after two consecutive hints without an idle process. */
const JOBS_MS = 20;

/**
 * Wakes workers for the runs in the fair queues: this process if it has slots, else an idle one by a hint, and when none
 * is known, one by a job. There is no job per run: a woken process serves the queues until they are empty, and wakes
 * another one when it is full. A lost wake-up costs half a second, since every process with a free slot also polls.
 */
@Injectable()
export class RunQueue extends WakeUpQueue {
  private readonly hints = new Coalescer(HINTS_MS, MAX_HINTS, (count) => void this.hint(count));
  /** Whether the previous hint found no idle process; a process that was polling meanwhile has reported by now. */
  private hasMissed = false;

  constructor(
    @InjectQueue(RUN_QUEUE) queue: Queue<WakeUp>,
    private readonly fairQueue: FairQueue,
    private readonly idle: IdleWorkers,
  ) {
    super(queue, JOBS_MS);
  }

  /** Serves runs of the fair queues in this process; returns how many of them have a slot. None without a worker. */
  serveHere: (runs: number) => number = () => 0;

  override onModuleDestroy(): void {
    this.hints.close();
    super.onModuleDestroy();
  }

  /** Serves this many more waiting runs here, and wakes other processes for the rest. Never throws and never waits. */
  wake(runs = 1): void {
    const left = runs > 0 ? runs - this.serveHere(runs) : 0;
    if (left > 0) this.hints.add(left);
  }

  /** Waiting and active runs of all processes, parked tasks, and pending wake-ups. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const [waiting, active, parked, wakeups] = await Promise.all([
      this.fairQueue.waiting(),
      this.fairQueue.running(),
      this.fairQueue.parked(),
      this.wakeUps(),
    ]);
    return { waiting, active, parked, wakeups };
  }

  /** Waiting time of the next run; 0 without one. */
  async oldestWaitSeconds(): Promise<number> {
    return (await this.fairQueue.oldestWaitMs()) / 1000;
  }

  /** One idle process suffices: it serves the queues, and wakes another one when it is full. */
  private async hint(count: number): Promise<void> {
    const woken = await this.idle.wake(count).catch(() => 0);
    const isMiss = woken === 0 && !this.hasMissed;
    this.hasMissed = isMiss;
    if (isMiss) this.hints.add(count);
    else if (woken === 0) this.addWakeUp();
  }
}
