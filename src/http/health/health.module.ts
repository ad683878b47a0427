import { type DynamicModule, Module } from '@nestjs/common';
import { ProbesModule } from '../../platform/health/probes.module.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { HealthController } from './health.controller.js';
import { HealthOptions } from './health.options.js';
import { InstanceRegistry } from './instance-registry.js';
import { LifecycleModule } from './lifecycle.module.js';
import { ProcessHealth } from './process.health.js';
import { ReadinessLog } from './readiness-log.js';

/** Serves the probes. Knows none of the probed features. */
@Module({})
export class HealthModule {
  static forRoot(options: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      imports: [ProbesModule, RedisModule, LifecycleModule],
      controllers: [HealthController],
      providers: [{ provide: HealthOptions, useValue: options }, ProcessHealth, ReadinessLog, InstanceRegistry],
    };
  }
}
