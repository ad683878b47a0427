import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';

/** Counts audited decisions. */
@Injectable()
export class AuditMetrics {
  private readonly decisions;

  constructor(metrics: Metrics) {
    const labels = ['result', 'code'] as const;
    this.decisions = metrics.counter('a2a_audit_decisions_total', 'Decisions in the audit log.', labels);
  }

  decided(result: string, code = 'none'): void {
    this.decisions.inc({ result, code });
  }
}
