import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import type { Probes } from '../health/probes.js';
import type { ProgressWatchdog } from './progress-watchdog.js';

/** Health indicator of workers: liveness is down when their watchdog finds that they fetch no jobs. */
export abstract class ProgressHealth {
  protected constructor(
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
