import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { HealthOptions } from './health.options.js';

/** Where a process stands between its start and its end. */
export type Stage = 'starting' | 'serving' | 'draining';

/** Follows the process from start to end: from SIGTERM on it drains, and nobody should send it anything new. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private now: Stage = 'starting';

  constructor(@Inject(HealthOptions) private readonly options: HealthOptions) {}

  get stage(): Stage {
    return this.now;
  }

  onApplicationBootstrap(): void {
    this.now = 'serving';
  }

  onModuleDestroy(): void {
    this.now = 'draining';
  }

  /** A balancer that asks for readiness needs a moment to hear of it; after a Ctrl-C somebody is waiting. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal !== 'SIGTERM' || this.options.leaveDelayMs === 0) return;
    await new Promise((resolve) => setTimeout(resolve, this.options.leaveDelayMs));
  }
}
