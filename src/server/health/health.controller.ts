import { Controller, Get, Header, Inject } from '@nestjs/common';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { ProgressWatchdog } from '../../platform/queue/progress-watchdog.js';
import { WATCHDOGS } from './health.options.js';
import { Lifecycle } from './lifecycle.js';
import { RedisWatch } from './redis-watch.js';
import { Public } from '../guards/public.js';

/**
 * Probes for Kubernetes, each with the reasons in its JSON. `live` checks only this process: a restart does not fix
 * Redis. `ready` is about new calls, `startup` about the start.
 */
@Public('probes come from the cluster, without credentials')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly lifecycle: Lifecycle,
    private readonly redis: RedisWatch,
    @Inject(WATCHDOGS) private readonly watchdogs: readonly ProgressWatchdog[],
  ) {}

  @Get('live')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.answers(), ...this.watchdogs.map((watchdog) => () => this.fetches(watchdog))]);
  }

  @Get('ready')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.takesCalls(), () => this.redisIsFit()]);
  }

  @Get('startup')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  startup(): Promise<HealthCheckResult> {
    return this.health.check([() => this.hasStarted()]);
  }

  /** That the event loop came round to this is the answer. */
  private answers(): HealthIndicatorResult {
    return this.indicator.check('process').up({ uptimeSeconds: Math.round(process.uptime()) });
  }

  private fetches({ name, isStuck, running }: ProgressWatchdog): HealthIndicatorResult {
    const session = this.indicator.check(name);
    if (isStuck) return session.down({ message: 'Jobs wait, slots are free, and nothing is fetched', running });
    return session.up({ running });
  }

  private takesCalls(): HealthIndicatorResult {
    const session = this.indicator.check('process');
    const { stage } = this.lifecycle;
    return stage === 'serving' ? session.up({ stage }) : session.down({ stage, message: `The process is ${stage}` });
  }

  private redisIsFit(): HealthIndicatorResult {
    const session = this.indicator.check('redis');
    const { isFit, ...report } = this.redis.report();
    return isFit ? session.up(report) : session.down(report);
  }

  private hasStarted(): HealthIndicatorResult {
    const session = this.indicator.check('process');
    const { stage } = this.lifecycle;
    return stage === 'starting' ? session.down({ stage }) : session.up({ stage });
  }
}
