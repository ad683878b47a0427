import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { RedisWatch } from './redis-watch.js';

/** Owns the probes, and the order in which a process takes its leave. */
@Module({})
export class HealthModule {
  /** @param worker whose progress decides about life, in processes that have one */
  static forRoot(worker?: DynamicModule): DynamicModule {
    // Terminus would log every probe that is answered with 503, and the reasons are in the answer.
    const terminus = TerminusModule.forRoot({ logger: false });
    return {
      module: HealthModule,
      imports: worker === undefined ? [terminus] : [terminus, worker],
      controllers: [HealthController],
      providers: [Lifecycle, RedisWatch],
      exports: [Lifecycle],
    };
  }
}
