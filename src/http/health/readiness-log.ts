import { HttpException, Injectable, Logger } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { Probes } from '../../platform/health/probes.js';
import { PeriodicCheck } from '../../platform/redis/health/periodic-check.js';
import { Lifecycle } from './lifecycle.js';

const EVERY_MS = 2_000;

/**
 * Logs, with the reasons, when the process stops being ready for calls, and when it is again: answers to probes are not
 * recorded anywhere.
 */
@Injectable()
export class ReadinessLog extends PeriodicCheck {
  private readonly log = new Logger('Health');
  private isLost = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly probes: Probes,
    private readonly lifecycle: Lifecycle,
  ) {
    super(EVERY_MS);
  }

  async check(): Promise<void> {
    const reasons = await this.reasons();
    // Start and shutdown have log lines of their own.
    if (this.lifecycle.stage !== 'serving' || reasons.length > 0 === this.isLost) return;
    this.isLost = reasons.length > 0;
    if (this.isLost) this.log.error({ event: 'ready.lost', reasons });
    else this.log.log({ event: 'ready.again' });
  }

  private async reasons(): Promise<readonly string[]> {
    try {
      await this.health.check(this.probes.of('ready'));
      return [];
    } catch (error) {
      const { error: faults = {} } = (
        error instanceof HttpException ? error.getResponse() : {}
      ) as Partial<HealthCheckResult>;
      return Object.entries(faults).map(([name, fault]) => `${name}: ${String(fault?.message ?? fault?.status)}`);
    }
  }
}
