import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../../health/probes.js';
import { RedisWatch } from './redis-watch.js';

/**
 * Health indicator of Redis. Readiness is down while Redis is unfit, or has not answered on one of this process's
 * connections for too long; liveness is down while one of them is stuck.
 */
@Injectable()
export class RedisHealth {
  constructor(
    probes: Probes,
    private readonly indicator: HealthIndicatorService,
    private readonly redis: RedisWatch,
  ) {
    probes.add('ready', () => this.isUsable());
    probes.add('live', () => this.isConnected());
  }

  private isConnected(): HealthIndicatorResult {
    const session = this.indicator.check('connections');
    const { stuckConnections: stuck } = this.redis;
    if (stuck.length === 0) return session.up();
    return session.down({
      message: `Connections to Redis are gone for minutes while a new one works: ${stuck.join(', ')}`,
    });
  }

  private isUsable(): HealthIndicatorResult {
    const session = this.indicator.check('redis');
    const { isFit, ...report } = this.redis.report();
    return isFit ? session.up(report) : session.down(report);
  }
}
