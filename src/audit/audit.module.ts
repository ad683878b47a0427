import { Module } from '@nestjs/common';
import { ProbesModule } from '../platform/health/probes.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { AuditHealth } from './audit.health.js';
import { AuditLog } from './audit.log.js';
import { auditStream, AuditTarget } from './audit-stream.js';
import { AuditMetrics } from './audit.metrics.js';

/** Owns the audit log. Knows nothing of the decisions that it records. */
@Module({
  imports: [MetricsModule, ProbesModule],
  providers: [
    AuditMetrics,
    AuditHealth,
    {
      provide: AuditLog,
      inject: [AuditTarget, AuditMetrics],
      useFactory: (target: AuditTarget, metrics: AuditMetrics) => new AuditLog(auditStream(target), metrics),
    },
  ],
  exports: [AuditLog],
})
export class AuditModule {}
