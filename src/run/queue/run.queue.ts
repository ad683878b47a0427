import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { FairQueue } from '../../task/fair-queue.js';
import { Coalescer } from './coalescer.js';
import { IdleWorkers } from './idle-workers.js';

/** Name of the queue of wake-ups. */
export const RUN_QUEUE = 'runs';

/** A wake-up carries nothing: which run is next is read from the fair queues. */
export type WakeUp = Record<string, never>;

/** Maximum wake-ups in the queue: each wakes one process, and a process fills all its free slots. */
const MOST_WAKE_UPS = 8;
/** Hints that this process gives within this time are one. */
const HINTS_MS = 3;
/** The same of jobs. They are asked for where no process is known to be idle: then most often none is. */
const JOBS_MS = 20;

/**
 * Wakes workers for the runs in the fair queues: an idle one by a hint, and where none is known to be idle, one by a job.
 * There is no job per run: BullMQ ignores the id of an existing wake-up, and a woken process serves the queues until they
 * are empty. A lost wake-up costs half a second, since every process with a free slot also polls.
 */
@Injectable()
export class RunQueue extends JobQueue<WakeUp> implements OnModuleDestroy {
  private readonly wakeLog = new Logger(RunQueue.name);
  private readonly hints = new Coalescer(HINTS_MS, MOST_WAKE_UPS, (count) => void this.hint(count));
  private readonly jobs = new Coalescer(JOBS_MS, MOST_WAKE_UPS, (count) => void this.add(count));
  private turn = 0;

  constructor(
    @InjectQueue(RUN_QUEUE) queue: Queue<WakeUp>,
    private readonly fairQueue: FairQueue,
    private readonly idle: IdleWorkers,
  ) {
    super(queue, 'wake');
  }

  onModuleDestroy(): void {
    this.hints.close();
    this.jobs.close();
  }

  /** Says that so many more runs wait. Never throws and never waits. */
  wake(runs = 1): void {
    this.hints.add(runs);
  }

  /** Waiting and active runs of all processes, parked tasks, and pending wake-ups. */
  override async counts(): Promise<Readonly<Record<string, number>>> {
    const [waiting, active, parked, wakeups] = await Promise.all([
      this.fairQueue.waiting(),
      this.fairQueue.running(),
      this.fairQueue.parked(),
      this.wakeUps(),
    ]);
    return { waiting, active, parked, wakeups };
  }

  /** Pending wake-ups. */
  async wakeUps(): Promise<number> {
    return (await super.counts()).waiting ?? 0;
  }

  /** How long the run that is next has waited; 0 when none does. */
  async oldestWaitSeconds(): Promise<number> {
    return (await this.fairQueue.oldestWaitMs()) / 1000;
  }

  /** A process that is woken serves the queues, and wakes another one when it becomes full: one that is idle is enough. */
  private async hint(count: number): Promise<void> {
    const woken = await this.idle.wake(count).catch(() => 0);
    if (woken === 0) this.jobs.add(count);
  }

  private async add(count: number): Promise<void> {
    try {
      await this.addJobs(Array.from({ length: count }, () => ({ id: this.nextId(), data: {} })));
    } catch (error) {
      this.wakeLog.warn({ event: 'run.not-woken', reason: String(error) });
    }
  }

  private nextId(): string {
    this.turn = (this.turn + 1) % MOST_WAKE_UPS;
    return `w${String(this.turn)}`;
  }
}
