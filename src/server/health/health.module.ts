import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import type { ProgressWatchdog } from '../../platform/queue/progress-watchdog.js';
import { HealthController } from './health.controller.js';
import { HealthOptions, WATCHDOGS } from './health.options.js';
import { Lifecycle } from './lifecycle.js';
import { InstanceRegistry } from './instance-registry.js';
import { RedisWatch } from './redis-watch.js';

/** Owns the probes, and the order in which a process takes its leave. */
@Module({})
export class HealthModule {
  static forRoot(options: HealthOptions): DynamicModule {
    // Terminus would log every probe that is answered with 503, and the reasons are in the answer.
    const terminus = TerminusModule.forRoot({ logger: false });
    return {
      module: HealthModule,
      imports: [terminus, ...options.watched.map(({ module }) => module)],
      controllers: [HealthController],
      providers: [
        { provide: HealthOptions, useValue: options },
        {
          provide: WATCHDOGS,
          inject: options.watched.map(({ watchdog }) => watchdog),
          useFactory: (...watchdogs: readonly ProgressWatchdog[]) => watchdogs,
        },
        ...[Lifecycle, RedisWatch, InstanceRegistry],
      ],
      exports: [Lifecycle],
    };
  }
}
