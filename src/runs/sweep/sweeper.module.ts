import { Module } from '@nestjs/common';
import { AgentModule } from '../../agents/agent.module.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { TaskModule } from '../../tasks/task.module.js';
import { RunQueueModule } from '../queue/run-queue.module.js';
import { SweepMetrics } from './sweep.metrics.js';
import { Sweeper } from './sweeper.js';

/** Owns the recovery from crashed processes: lost jobs, lost runs, overdue cancels, retention. */
@Module({
  imports: [AgentModule, RunQueueModule, TaskModule, MetricsModule],
  providers: [Sweeper, SweepMetrics],
  exports: [Sweeper],
})
export class SweeperModule {}
