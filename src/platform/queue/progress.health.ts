import type { Provider, Type } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../health/probes.js';
import type { ProgressWatchdog } from './progress-watchdog.js';

/** Health indicator of workers: liveness is down when their watchdog finds that they fetch no jobs. */
export class ProgressHealth {
  /** The indicator of one watchdog, as a provider of the module that has it. */
  static of(watchdog: Type<ProgressWatchdog>): Provider {
    return {
      provide: ProgressHealth,
      inject: [Probes, HealthIndicatorService, watchdog],
      useFactory: (probes: Probes, indicator: HealthIndicatorService, watched: ProgressWatchdog) =>
        new ProgressHealth(probes, indicator, watched),
    };
  }

  private constructor(
    probes: Probes,
    private readonly indicator: HealthIndicatorService,
    private readonly watchdog: ProgressWatchdog,
  ) {
    probes.add('live', () => this.check());
  }

  private check(): HealthIndicatorResult {
    const { name, isStuck, running } = this.watchdog;
    const session = this.indicator.check(name);
    if (isStuck) return session.down({ message: 'Jobs wait, slots are free, and nothing is fetched', running });
    return session.up({ running });
  }
}
