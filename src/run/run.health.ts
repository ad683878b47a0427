import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../platform/health/probes.js';
import { ProgressHealth } from '../platform/queue/progress.health.js';
import { RunWatchdog } from './run.watchdog.js';

/** Health indicator of the runs of this process. */
@Injectable()
export class RunHealth extends ProgressHealth {
  constructor(probes: Probes, indicator: HealthIndicatorService, watchdog: RunWatchdog) {
    super(probes, indicator, watchdog);
  }
}
