import { Module, type DynamicModule } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { auditLogger, type AuditTarget } from './audit-logger.js';
import { AuditLog } from './audit.log.js';

/** Owns the audit log. Knows nothing of the decisions that it records. */
@Module({})
export class AuditModule {
  static forRoot(target: AuditTarget): DynamicModule {
    return {
      module: AuditModule,
      global: true,
      providers: [
        {
          provide: AuditLog,
          inject: [{ token: Metrics, optional: true }],
          useFactory: (metrics?: Metrics) => new AuditLog(auditLogger(target), metrics),
        },
      ],
      exports: [AuditLog],
    };
  }
}
