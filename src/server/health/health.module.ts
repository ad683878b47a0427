import { type DynamicModule, Module } from '@nestjs/common';
import { ProbesModule } from '../../platform/health/probes.module.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { HealthController } from './health.controller.js';
import { HealthOptions } from './health.options.js';
import { InstanceRegistry } from './instance-registry.js';
import { Lifecycle } from './lifecycle.js';
import { ProcessHealth } from './process.health.js';

/** Serves the probes, and owns the phases of a process. Knows none of the features that are probed. */
@Module({})
export class HealthModule {
  static forRoot(options: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      imports: [ProbesModule, RedisModule],
      controllers: [HealthController],
      providers: [{ provide: HealthOptions, useValue: options }, Lifecycle, ProcessHealth, InstanceRegistry],
      exports: [Lifecycle],
    };
  }
}
