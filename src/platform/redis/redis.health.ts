import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../health/probes.js';
import { RedisWatch } from './redis-watch.js';

/** Health indicator of Redis: readiness is down while it is unfit, or has not answered for too long. */
@Injectable()
export class RedisHealth {
  constructor(
    probes: Probes,
    private readonly indicator: HealthIndicatorService,
    private readonly redis: RedisWatch,
  ) {
    probes.add('ready', () => this.check());
  }

  private check(): HealthIndicatorResult {
    const session = this.indicator.check('redis');
    const { isFit, ...report } = this.redis.report();
    return isFit ? session.up(report) : session.down(report);
  }
}
