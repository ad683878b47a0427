import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { QueueWorkers } from './queue-workers.js';

/** Consecutive checks at which jobs waited, slots were free and nothing was fetched: three of BullMQ's own polls. */
const CHECKS = 4;
/** Failed checks after which the liveness probe is down, one check before the process exits. */
const STUCK_CHECKS = CHECKS - 1;

export interface WatchdogOptions {
  /** The name of the watched work in the liveness probe. */
  readonly name: string;
  readonly workers: Pick<QueueWorkers, 'fetched' | 'running' | 'slots'>;
  readonly queue: { readonly waiting: () => Promise<number> };
  readonly everyMs: number;
  /** Called when workers have stopped fetching. */
  readonly giveUp: () => void;
}

/** The interval of checks in a service. */
export const WATCHDOG_EVERY_MS = 5_000;

/**
 * Ends a process whose workers have silently stopped fetching. After some reconnects a BullMQ worker looks healthy
 * (running, connected, no error) and never fetches a job again. Only a new process helps, and Kubernetes starts one.
 */
export abstract class ProgressWatchdog implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(ProgressWatchdog.name);
  private idleChecks = 0;
  private fetchedBefore = 0;
  private timer: NodeJS.Timeout | undefined;

  protected constructor(private readonly options: WatchdogOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Whether jobs wait although slots are free; read by the liveness probe. */
  get isStuck(): boolean {
    return this.idleChecks >= STUCK_CHECKS;
  }

  /** Active jobs of this process. */
  get running(): number {
    return this.options.workers.running;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), this.options.everyMs);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    const wedged = (await this.isIdle()) && this.running < this.options.workers.slots;
    this.idleChecks = wedged ? this.idleChecks + 1 : 0;
    if (this.idleChecks < CHECKS) return;
    clearInterval(this.timer);
    this.log.error({ event: 'worker.wedged', reason: 'jobs are waiting and slots are free, but no job is fetched' });
    this.options.giveUp();
  }

  /** Whether jobs waited since the last check and none was fetched. False while Redis is unavailable. */
  private async isIdle(): Promise<boolean> {
    const { fetched } = this.options.workers;
    const idle = fetched === this.fetchedBefore;
    this.fetchedBefore = fetched;
    try {
      return idle && (await this.options.queue.waiting()) > 0;
    } catch {
      return false;
    }
  }
}

/**
 * Shuts this process down like on a signal: calls and runs in progress end or are handed over. Its exit code reports a
 * fault.
 */
export function leaveProcess(): void {
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}
