import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { Freshness } from './freshness.js';
import { Policies } from './policies.js';

/** Owns the operator's policy: permitted calls and memory by caller. Knows no tasks and no bindings. */
@Module({ imports: [AuditModule, RedisModule], providers: [Policies, Freshness], exports: [Policies, Freshness] })
export class PolicyModule {}
