import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from '../platform/config/environment.js';
import { OptionsModule } from '../platform/config/options.module.js';
import { ConfigStore } from '../push/config/config.store.js';
import { DeadLetterStore } from '../push/dead-letter/dead-letter.store.js';
import { PushOptions } from '../push/push.options.js';
import { RunQueueModule } from '../run/queue/run-queue.module.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { RedisOptions } from '../platform/redis/redis.options.js';
import { TaskInspector } from '../task/task-inspector.js';
import { TASK_DEFAULTS, TaskOptions } from '../task/task.options.js';
import { TaskModule } from '../task/task.module.js';

/** The parts of the service that operator commands need: its stores and its queue, without servers and workers. */
@Module({})
export class CliModule {
  static forRoot({ KEY_PREFIX: keyPrefix }: Environment, redisUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [
        OptionsModule.forRoot([
          { provide: RedisOptions, useValue: { address: redisUrl, keyPrefix } satisfies RedisOptions },
          { provide: TaskOptions, useValue: { ...TASK_DEFAULTS, keyPrefix } satisfies TaskOptions },
          // Of the options of webhooks these stores need the prefix of their keys only.
          { provide: PushOptions, useValue: { keyPrefix } },
        ]),
        ...[RedisModule, TaskModule, RunQueueModule],
      ],
      providers: [ConfigStore, DeadLetterStore, TaskInspector],
    };
  }
}
