import { Module } from '@nestjs/common';
import { ProbesModule } from '../platform/health/probes.module.js';
import { AgentModule } from '../agents/agent.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ProgressHealth } from '../platform/queue/progress.health.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { BlockModule } from '../blocks/block.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { TaskModule } from '../tasks/task.module.js';
import { ActiveRuns } from './keeper/active-runs.js';
import { LeaseKeeper } from './keeper/lease-keeper.js';
import { BlockedRuns } from './worker/blocked-runs.js';
import { LocalRuns } from './local-runs.js';
import { RunQueueModule } from './queue/run-queue.module.js';
import { RunFeeder } from './worker/run-feeder.js';
import { RunMemory } from './turn/run-memory.js';
import { RunMetrics } from './keeper/run.metrics.js';
import { RunSlots } from './worker/run-slots.js';
import { RUN_PROCESSOR } from './worker/run.processor.js';
import { ContextValues } from './turn/context-values.js';
import { RunCompletion } from './worker/run-completion.js';
import { RunWatchdog } from './worker/run.watchdog.js';
import { RunWorkers } from './worker/run.workers.js';
import { SkillRunner } from './worker/skill-runner.js';
import { WakeHints } from './worker/wake-hints.js';
import { WorkerOptions } from './worker.options.js';

/** Owns the execution of skills: jobs, leases, aborts. Knows nothing of HTTP, callers or streams. */
@Module({
  imports: [
    AgentModule,
    RunQueueModule,
    TaskModule,
    RedisModule,
    MetricsModule,
    ProbesModule,
    PolicyModule,
    BlockModule,
  ],
  providers: [
    ...[
      LeaseKeeper,
      ActiveRuns,
      BlockedRuns,
      ContextValues,
      RunMemory,
      RunCompletion,
      SkillRunner,
      RunWorkers,
      RunFeeder,
      RunMetrics,
    ],
    {
      provide: RunSlots,
      inject: [WorkerOptions, SkillRegistry],
      useFactory: ({ concurrency }: WorkerOptions, skills: SkillRegistry) => new RunSlots(concurrency, skills.options),
    },
    { provide: LocalRuns, useExisting: RunFeeder },
    ...[RUN_PROCESSOR, WakeHints],
    ...[RunWatchdog, ProgressHealth.of(RunWatchdog)],
  ],
  exports: [ActiveRuns, LocalRuns, SkillRunner],
})
export class WorkerModule {}
