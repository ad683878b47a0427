import { Controller, Get, Header } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { Probes } from '../../platform/health/probes.js';
import { Public } from '../guards/public.js';

/**
 * Probes for Kubernetes, each with the reasons in its JSON. `live` checks only this process: a restart does not fix
 * Redis. `ready` concerns new calls, `startup` the start. Features add their indicators to `Probes`.
 */
@Public('probes come from the cluster, without credentials')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly probes: Probes,
  ) {}

  @Get('live')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check(this.probes.of('live'));
  }

  @Get('ready')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check(this.probes.of('ready'));
  }

  @Get('startup')
  @Header('cache-control', 'no-store')
  @HealthCheck()
  startup(): Promise<HealthCheckResult> {
    return this.health.check(this.probes.of('startup'));
  }
}
