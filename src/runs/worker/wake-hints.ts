import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { IdleWorkers } from '../queue/idle-workers.js';
import { RunQueue } from '../queue/run.queue.js';
import { RunFeeder } from './run-feeder.js';

/** Polls the fair queues when a hint arrives or this process wakes itself, like `RunProcessor` for a job. */
@Injectable()
export class WakeHints implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(WakeHints.name);

  constructor(
    private readonly feeder: RunFeeder,
    private readonly queue: RunQueue,
    private readonly idle: IdleWorkers,
  ) {
    queue.serveHere = (runs) => {
      if (feeder.hasRoom) this.serveSoon();
      return Math.min(runs, feeder.free);
    };
  }

  onModuleDestroy(): void {
    this.idle.leave();
  }

  async onApplicationBootstrap(): Promise<void> {
    this.feeder.whenIdle(() => {
      this.idle.announce();
    });
    await this.idle.listen(this.serveSoon);
  }

  private readonly serveSoon = (): void => {
    this.serve().catch((error: unknown) => {
      this.log.debug({ event: 'run.poll-failed', reason: String(error) });
    });
  };

  /** A full process passes the wake-up on: another one may have free slots. */
  private async serve(): Promise<void> {
    const isFull = !this.feeder.hasRoom;
    if ((await this.feeder.serve()) || isFull) this.queue.wake();
  }
}
