import { type DynamicModule, Module } from '@nestjs/common';
import { retentionSettings } from '../../main/app.settings.js';
import type { Environment } from '../../main/app.environment.js';
import { OptionsModule } from '../../platform/config/settings/options.module.js';
import { ConfigStore } from '../../webhooks/config/config.store.js';
import { DeadLetterStore } from '../../webhooks/dead-letter/dead-letter.store.js';
import { PushOptions } from '../../webhooks/push.options.js';
import { RunQueueModule } from '../../runs/queue/run-queue.module.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { RedisOptions } from '../../platform/redis/redis.options.js';
import { TreeReader } from '../../tasks/survey/tree-reader.js';
import { TaskInspector } from '../../tasks/lists/task-inspector.js';
import { TaskWorkReader } from '../../tasks/store/task-work.js';
import { TenantIndex } from '../../tasks/lists/tenant-index.js';
import { TenantUseReader } from '../../tasks/lists/tenant-use.js';
import { TASK_DEFAULTS, TaskOptions } from '../../tasks/task.options.js';
import { TaskModule } from '../../tasks/task.module.js';
import { BundleReader } from '../../admin/snapshots/bundle-reader.js';

const READERS = [TaskInspector, TaskWorkReader, TenantIndex, TenantUseReader, TreeReader, BundleReader];

/** The parts of the service that operator commands need: its stores and its queue, without servers and workers. */
@Module({})
export class OpsModule {
  static forRoot(environment: Environment, redisUrl: string): DynamicModule {
    const { KEY_PREFIX: keyPrefix } = environment;
    // A command that ends a task keeps it for the service's retention.
    const options: TaskOptions = { ...TASK_DEFAULTS, ...retentionSettings(environment), keyPrefix };
    return {
      module: OpsModule,
      imports: [
        OptionsModule.forRoot([
          {
            provide: RedisOptions,
            useValue: { address: redisUrl, keyPrefix, isOperator: true } satisfies RedisOptions,
          },
          { provide: TaskOptions, useValue: options },
          // These stores only need the key prefix of the webhook options.
          { provide: PushOptions, useValue: { keyPrefix } },
        ]),
        ...[RedisModule, TaskModule, RunQueueModule],
      ],
      providers: [ConfigStore, DeadLetterStore, ...READERS],
    };
  }
}
