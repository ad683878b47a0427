import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { AuthModule } from '../../security/auth/auth.module.js';
import { CallMetrics } from './call.metrics.js';
import { CallRunner } from './call-runner.js';
import { HttpCalls } from './http-calls.js';

/** What the bindings share: the call behind a request, and what is measured of it. */
@Module({
  imports: [AuthModule, MetricsModule],
  providers: [HttpCalls, CallRunner, CallMetrics],
  exports: [AuthModule, HttpCalls, CallRunner],
})
export class CallsModule {}
