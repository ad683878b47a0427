import { Module } from '@nestjs/common';
import { RunQueueModule } from '../../run/queue/run-queue.module.js';
import { TaskModule } from '../../task/task.module.js';
import { CallbackController } from './callback.controller.js';

/** Owns the door for webhooks of other agents. Knows nothing of their content. */
@Module({ imports: [TaskModule, RunQueueModule], controllers: [CallbackController] })
export class CallbackModule {}
