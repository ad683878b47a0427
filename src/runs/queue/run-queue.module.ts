import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { queueOptions, queuePrefix } from '../../platform/queue/wake-up-queue.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { TaskModule } from '../../tasks/task.module.js';
import { TaskOptions } from '../../tasks/task.options.js';
import { IdleWorkers } from './idle-workers.js';
import { QueueGauges } from './queue-gauges.js';
import { RUN_QUEUE, RunQueue } from './run.queue.js';

/** The run queue, for all roles that request runs: api, dispatcher and worker. */
@Module({
  imports: [
    BullModule.registerQueueAsync({
      name: RUN_QUEUE,
      imports: [RedisModule],
      inject: [CommandRedis, TaskOptions],
      useFactory: (connection: CommandRedis, { keyPrefix }: TaskOptions) =>
        queueOptions(connection, queuePrefix(keyPrefix)),
    }),
    ...[MetricsModule, RedisModule, TaskModule],
  ],
  providers: [RunQueue, IdleWorkers, QueueGauges],
  exports: [RunQueue, IdleWorkers],
})
export class RunQueueModule {}
