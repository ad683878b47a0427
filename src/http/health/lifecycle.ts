import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/** The phase of a process. */
export type Stage = 'starting' | 'serving' | 'draining';

/** The phase of this process, for the readiness probe: during shutdown it should get no new calls. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  private now: Stage = 'starting';

  get stage(): Stage {
    return this.now;
  }

  onApplicationBootstrap(): void {
    this.now = 'serving';
  }

  /** From now on readiness is 503; the process still serves calls until it is closed. */
  leave(): void {
    this.now = 'draining';
  }

  onModuleDestroy(): void {
    this.leave();
  }
}
