import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { announceProcess, type RunningProcess, thisProcess } from '../../platform/redis/running-processes.js';
import { ProcessIdentity } from '../../platform/redis/process-identity.js';
import { HealthOptions } from './health.options.js';

const EVERY_MS = 10_000;
/** Expires after three missed announcements. */
const HOLD_MS = 3 * EVERY_MS;

/** Announces this process, so that an operator can see the running roles. */
@Injectable()
export class InstanceRegistry implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly self: RunningProcess;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(HealthOptions) private readonly options: HealthOptions,
    { id }: ProcessIdentity,
  ) {
    const { role, version } = options;
    this.self = thisProcess({ id, role, version });
  }

  onApplicationBootstrap(): void {
    this.say(HOLD_MS);
    this.timer = setInterval(() => {
      this.say(HOLD_MS);
    }, EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.say(0);
  }

  /** Errors are ignored: other parts report an outage, and the process registers again after it. */
  private say(holdMs: number): void {
    announceProcess(this.redis, this.options.keyPrefix, this.self, holdMs).catch(() => undefined);
  }
}
