import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { queueOptions, queuePrefix } from '../../platform/queue/job-queue.js';
import { CommandRedis } from '../../platform/redis/connections.js';
import { TaskOptions } from '../../task/task.options.js';
import { QueueGauges } from './queue-gauges.js';
import { RUN_QUEUE, RunQueue } from './run.queue.js';

/** Owns the queue of runs for those who ask for runs: api and dispatcher as well as worker. */
@Module({
  imports: [
    BullModule.registerQueueAsync({
      name: RUN_QUEUE,
      inject: [CommandRedis, TaskOptions],
      useFactory: (connection: CommandRedis, { keyPrefix }: TaskOptions) =>
        queueOptions(connection, queuePrefix(keyPrefix)),
    }),
  ],
  providers: [RunQueue, QueueGauges],
  exports: [RunQueue],
})
export class RunQueueModule {}
