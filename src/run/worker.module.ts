import { Module } from '@nestjs/common';
import { ProbesModule } from '../platform/health/probes.module.js';
import { AgentModule } from '../agent/agent.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { ProgressHealth } from '../platform/queue/progress.health.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { PolicyModule } from '../policy/policy.module.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { TaskModule } from '../task/task.module.js';
import { ActiveRuns } from './active-runs.js';
import { LeaseKeeper } from './keeper/lease-keeper.js';
import { LocalRuns } from './local-runs.js';
import { RunQueueModule } from './queue/run-queue.module.js';
import { RunFeeder } from './run-feeder.js';
import { RunMemory } from './run-memory.js';
import { RunMetrics } from './run.metrics.js';
import { RunSlots } from './run-slots.js';
import { RUN_PROCESSOR } from './run.processor.js';
import { RunContexts } from './run-contexts.js';
import { RunCompletion } from './run-completion.js';
import { RunWatchdog } from './run.watchdog.js';
import { RunWorkers } from './run.workers.js';
import { SkillRunner } from './skill-runner.js';
import { WakeHints } from './wake-hints.js';
import { WorkerOptions } from './worker.options.js';

/** Owns running skills: jobs, leases, aborts. Knows nothing of HTTP, callers or streams. */
@Module({
  imports: [AgentModule, RunQueueModule, TaskModule, RedisModule, MetricsModule, ProbesModule, PolicyModule],
  providers: [
    ...[LeaseKeeper, ActiveRuns, RunContexts, RunMemory, RunCompletion, SkillRunner, RunWorkers, RunFeeder, RunMetrics],
    {
      provide: RunSlots,
      inject: [WorkerOptions, SkillRegistry],
      useFactory: ({ concurrency }: WorkerOptions, skills: SkillRegistry) => new RunSlots(concurrency, skills.options),
    },
    { provide: LocalRuns, useExisting: RunFeeder },
    ...[RUN_PROCESSOR, WakeHints],
    ...[RunWatchdog, ProgressHealth.of(RunWatchdog)],
  ],
  exports: [ActiveRuns, LocalRuns],
})
export class WorkerModule {}
