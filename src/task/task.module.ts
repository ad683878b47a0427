import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ContextStore } from './context.store.js';
import { DataLayout } from './data-layout.js';
import { EventLog } from './event-log.js';
import { RunStore } from './run.store.js';
import { SweepStore } from './sweep.store.js';
import { TaskIndex } from './task-index.js';
import { TaskOwners } from './task-owners.js';
import { TaskOptions } from './task.options.js';
import { TaskStore } from './task.store.js';

/** Owns task state in Redis: keys, scripts, event log. Knows nothing of queues, HTTP, skills or webhooks. */
@Module({})
export class TaskModule {
  /** For what runs tasks: it also sees to it that it can read the data that is there. */
  static forRoot(options: TaskOptions): DynamicModule {
    return TaskModule.with(options, [DataLayout]);
  }

  /** For commands that look after tasks, and must not say that data of their release is written. */
  static forCommands(options: TaskOptions): DynamicModule {
    return TaskModule.with(options, []);
  }

  private static with(options: TaskOptions, more: readonly Provider[]): DynamicModule {
    const services = [TaskStore, RunStore, SweepStore, EventLog, ContextStore, TaskIndex, TaskOwners];
    return {
      module: TaskModule,
      global: true,
      providers: [{ provide: TaskOptions, useValue: options }, ...services, ...more],
      exports: [TaskOptions, ...services],
    };
  }
}
