import { Module } from '@nestjs/common';
import { AuditModule } from '../security/audit/audit.module.js';
import { Policies } from './policies.js';

/** Owns the policy of the operator: who may call what, with which memory. Knows no tasks and no doors. */
@Module({ imports: [AuditModule], providers: [Policies], exports: [Policies] })
export class PolicyModule {}
