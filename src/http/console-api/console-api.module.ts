import { type DynamicModule, Module } from '@nestjs/common';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { TaskInspector } from '../../tasks/lists/task-inspector.js';
import { TaskModule } from '../../tasks/task.module.js';
import { ConsoleAccess } from './console-access.js';
import { TenantTasks } from './tenant-tasks.js';

/** The dependencies of every route of the console's API: its guards, the limits, and the tasks of a tenant. */
@Module({})
export class ConsoleApiModule {
  /** @param binding dependencies of every binding */
  static forRoot(access: ConsoleAccess, binding: DynamicModule): DynamicModule {
    return {
      module: ConsoleApiModule,
      imports: [binding, LimitModule, RedisModule, TaskModule],
      providers: [{ provide: ConsoleAccess, useValue: access }, TaskInspector, TenantTasks],
      exports: [binding, LimitModule, RedisModule, TaskModule, ConsoleAccess, TaskInspector, TenantTasks],
    };
  }
}
