import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../../platform/health/probes.js';
import { ProgressHealth } from '../../platform/queue/progress.health.js';
import { PushWatchdog } from './push.watchdog.js';

/** Health indicator of the webhook deliveries of this process. */
@Injectable()
export class PushHealth extends ProgressHealth {
  constructor(probes: Probes, indicator: HealthIndicatorService, watchdog: PushWatchdog) {
    super(probes, indicator, watchdog);
  }
}
