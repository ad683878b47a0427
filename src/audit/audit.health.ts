import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Probes } from '../platform/health/probes.js';
import { AuditLog } from './audit.log.js';

/** Health indicator of the audit log: while it fails, the process answers no call. */
@Injectable()
export class AuditHealth {
  constructor(
    probes: Probes,
    private readonly indicator: HealthIndicatorService,
    private readonly audit: AuditLog,
  ) {
    probes.add('ready', () => this.check());
  }

  private check(): HealthIndicatorResult {
    const session = this.indicator.check('audit');
    return this.audit.isWritable ? session.up() : session.down({ message: 'The audit log cannot be written' });
  }
}
