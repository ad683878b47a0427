import { type DynamicModule, Module } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { RunQueueModule } from './queue/run-queue.module.js';
import { RunMemory } from './run-memory.js';
import { RunSequel } from './run-sequel.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { LocalRuns } from './local-runs.js';
import { RunFeeder } from './run-feeder.js';
import { RunPlaces } from './run-places.js';
import { RUN_PROCESSORS } from './run.processor.js';
import { RunWatchdog } from './run.watchdog.js';
import { RunWorkers } from './run.workers.js';
import { SkillRunner } from './skill-runner.js';
import { WorkerOptions } from './worker.options.js';

/** Owns running skills: jobs, leases, aborts. Knows nothing of HTTP, callers or streams. */
@Module({})
export class WorkerModule {
  static forRoot(options: WorkerOptions): DynamicModule {
    return {
      module: WorkerModule,
      imports: [RunQueueModule],
      providers: [
        { provide: WorkerOptions, useValue: options },
        ActiveRuns,
        RunMemory,
        RunSequel,
        SkillRunner,
        RunWorkers,
        {
          provide: RunPlaces,
          inject: [SkillRegistry],
          useFactory: (skills: SkillRegistry) => new RunPlaces(options.concurrency, skills.options),
        },
        RunFeeder,
        { provide: LocalRuns, useExisting: RunFeeder },
        ...RUN_PROCESSORS,
        RunWatchdog,
      ],
      exports: [ActiveRuns, LocalRuns, RunWatchdog],
    };
  }
}
