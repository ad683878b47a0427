import { type DynamicModule, Module } from '@nestjs/common';
import { type CallbackOptions, Callbacks } from './callbacks.js';
import { RunQueueModule } from '../../runs/queue/run-queue.module.js';
import { TaskModule } from '../../tasks/task.module.js';
import { CallbackController } from './callback.controller.js';

/** Owns the endpoint for webhooks of other agents. Knows nothing of their content. */
@Module({ imports: [TaskModule, RunQueueModule], controllers: [CallbackController] })
export class CallbackModule {
  static forRoot(options: CallbackOptions): DynamicModule {
    return { module: CallbackModule, providers: [{ provide: Callbacks, useValue: new Callbacks(options) }] };
  }
}
