import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { LifecycleModule } from '../health/lifecycle.module.js';
import { Answers } from '../answer/answers.js';
import { CallMetrics } from './call.metrics.js';
import { AnswerRooms } from '../answer/answer-rooms.js';
import { CallRecorder } from './call-recorder.js';
import { HttpCalls } from './http-calls.js';

/** Shared by the bindings: the call behind a request, and its measurements. */
@Module({
  imports: [AuditModule, AuthModule, LifecycleModule, LimitModule, MetricsModule],
  providers: [Answers, AnswerRooms, HttpCalls, CallRecorder, CallMetrics],
  exports: [Answers, AnswerRooms, AuthModule, HttpCalls, CallRecorder],
})
export class CallsModule {}
