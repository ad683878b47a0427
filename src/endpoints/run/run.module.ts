import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../operations/intents/intent.module.js';
import { RunController } from './run.controller.js';
import { RunGuard } from './run.guard.js';
import { RunRequests } from './run-requests.js';

/** The endpoint of intents over plain HTTP: a thin layer between HTTP and the operations. */
@Module({})
export class RunModule {
  /** @param binding dependencies of every binding */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RunModule,
      imports: [binding, IntentModule],
      controllers: [RunController],
      providers: [RunGuard, RunRequests],
    };
  }
}
