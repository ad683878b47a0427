import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../intent/intent.module.js';
import { RunController } from './run.controller.js';
import { RunGuard } from './run.guard.js';
import { RunRequests } from './run-requests.js';

/** The endpoint of intents over plain HTTP: thin, between HTTP and the operations. */
@Module({})
export class RunModule {
  /** @param binding what every binding is made of */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RunModule,
      imports: [binding, IntentModule],
      controllers: [RunController],
      providers: [RunGuard, RunRequests],
    };
  }
}
