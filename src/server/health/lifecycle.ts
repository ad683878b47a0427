import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/** Where a process stands between its start and its end. */
export type Stage = 'starting' | 'serving' | 'draining';

/** Follows the process from start to end: once it leaves, nobody should send it anything new. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  private now: Stage = 'starting';

  get stage(): Stage {
    return this.now;
  }

  onApplicationBootstrap(): void {
    this.now = 'serving';
  }

  /** Balancers that ask for readiness hear of it from now on; the process goes on serving until it is closed. */
  leave(): void {
    this.now = 'draining';
  }

  onModuleDestroy(): void {
    this.leave();
  }
}
