import { Module } from '@nestjs/common';
import { AuditModule } from '../../security/audit/audit.module.js';
import { AuthModule } from '../../security/auth/auth.module.js';

/** What `CallerGuard`, `PassportGuard` and `ScopeGuard` need: a module whose controllers use them imports this. */
@Module({ imports: [AuthModule, AuditModule], exports: [AuthModule, AuditModule] })
export class GuardsModule {}
