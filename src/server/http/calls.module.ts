import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { AuditModule } from '../../security/audit/audit.module.js';
import { AuthModule } from '../../security/auth/auth.module.js';
import { LifecycleModule } from '../health/lifecycle.module.js';
import { Answers } from './answers.js';
import { CallMetrics } from './call.metrics.js';
import { CallRunner } from './call-runner.js';
import { HttpCalls } from './http-calls.js';

/** What the bindings share: the call behind a request, and what is measured of it. */
@Module({
  imports: [AuditModule, AuthModule, LifecycleModule, MetricsModule],
  providers: [Answers, HttpCalls, CallRunner, CallMetrics],
  exports: [Answers, AuthModule, HttpCalls, CallRunner],
})
export class CallsModule {}
