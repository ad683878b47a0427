import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { RunQueue } from './queue/run.queue.js';
import { WorkerOptions } from './worker.options.js';

const EVERY_MS = 5_000;
/** Looks in a row at which jobs waited, slots were free and nothing was fetched: three of BullMQ's own polls. */
const LOOKS = 4;
/** From so many on the liveness probe says so, one look before the process ends itself. */
const STUCK_LOOKS = LOOKS - 1;

/**
 * Ends a worker that has silently stopped fetching. After some reconnects a BullMQ worker looks healthy (running,
 * connected, no error) and never takes a job again; only a new process helps, and Kubernetes starts one.
 */
@Injectable()
export class ProgressWatchdog implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(ProgressWatchdog.name);
  private idleLooks = 0;
  private fetchedBefore = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly active: ActiveRuns,
    private readonly queue: RunQueue,
    @Inject(WorkerOptions) private readonly options: WorkerOptions,
  ) {}

  /** Whether this worker has let jobs wait although it has free slots: the liveness probe asks. */
  get isStuck(): boolean {
    return this.idleLooks >= STUCK_LOOKS;
  }

  /** Runs under way in this process. */
  get running(): number {
    return this.active.count;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const wedged = (await this.isIdle()) && this.active.count < this.options.concurrency;
    this.idleLooks = wedged ? this.idleLooks + 1 : 0;
    if (this.idleLooks < LOOKS) return;
    this.log.error({ event: 'worker.wedged', reason: 'jobs wait, slots are free, and nothing is fetched' });
    process.exit(1);
  }

  /** Jobs waited all the time since the last look, and none was fetched. False while Redis cannot be asked. */
  private async isIdle(): Promise<boolean> {
    const { fetched } = this.active;
    const idle = fetched === this.fetchedBefore;
    this.fetchedBefore = fetched;
    try {
      return idle && (await this.queue.waiting()) > 0;
    } catch {
      return false;
    }
  }
}
