import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { AuthModule } from '../../auth/auth.module.js';

/** Dependencies of `CallerGuard`, `PassportGuard` and `ScopeGuard`: imported by modules whose controllers use them. */
@Module({ imports: [AuthModule, AuditModule], exports: [AuthModule, AuditModule] })
export class GuardsModule {}
