import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { FairQueue } from '../../task/fair-queue.js';

/** Name of the queue of wake-ups. */
export const RUN_QUEUE = 'runs';

/** A wake-up carries nothing: which run is next is read from the fair queues. */
export type WakeUp = Record<string, never>;

/** Maximum wake-ups in the queue: each wakes one process, and a process fills all its free slots. */
const MOST_WAKE_UPS = 8;
/** Wake-ups that this process asks for within this time are one; the last one counts, so that no run is left out. */
const COALESCE_MS = 3;

/**
 * Wakes workers for the runs in the fair queues. There is no job per run: BullMQ ignores the id of an existing wake-up, and
 * a woken process serves the queues until they are empty. A lost wake-up costs half a second, since every process with a
 * free slot also polls.
 */
@Injectable()
export class RunQueue extends JobQueue<WakeUp> implements OnModuleDestroy {
  private readonly wakeLog = new Logger(RunQueue.name);
  private turn = 0;
  private wanted = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectQueue(RUN_QUEUE) queue: Queue<WakeUp>,
    private readonly fairQueue: FairQueue,
  ) {
    super(queue, 'wake');
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }

  /** Says that so many more runs wait. Never throws and never waits. */
  wake(runs = 1): void {
    this.wanted = Math.min(MOST_WAKE_UPS, this.wanted + runs);
    if (this.timer === undefined) this.send();
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

  private readonly send = (): void => {
    this.timer = undefined;
    if (this.wanted === 0) return;
    const jobs = Array.from({ length: this.wanted }, () => ({ id: this.nextId(), data: {} }));
    this.wanted = 0;
    this.timer = setTimeout(this.send, COALESCE_MS).unref();
    this.addJobs(jobs).catch((error: unknown) => {
      this.wakeLog.warn({ event: 'run.not-woken', reason: String(error) });
    });
  };

  private nextId(): string {
    this.turn = (this.turn + 1) % MOST_WAKE_UPS;
    return `w${String(this.turn)}`;
  }
}
