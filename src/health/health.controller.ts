import { Controller, Get, Inject } from '@nestjs/common';
import {
  HealthCheck,
  HealthCheckService,
  type HealthCheckResult,
  HealthIndicatorService,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { CommandRedis } from '../redis/connections.js';

/** Probes for Kubernetes: `live` asks nothing of anybody else, `ready` asks Redis. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    @Inject(CommandRedis) private readonly redis: CommandRedis,
  ) {}

  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.redisAnswers()]);
  }

  private async redisAnswers(): Promise<HealthIndicatorResult> {
    const session = this.indicator.check('redis');
    try {
      await this.redis.ping();
      return session.up();
    } catch {
      return session.down('Redis does not answer');
    }
  }
}
