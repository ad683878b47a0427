import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

/** A check that runs at the start of the process and then at an interval, until the process ends. */
export abstract class PeriodicCheck implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  protected constructor(private readonly everyMs: number) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.check();
    this.timer = setInterval(() => void this.check(), this.everyMs);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** One check; never rejects. */
  abstract check(): Promise<void>;
}
