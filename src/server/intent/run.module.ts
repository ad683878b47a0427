import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../intent/intent.module.js';
import { GuardsModule } from '../guards/guards.module.js';
import { CallsModule } from '../binding/calls.module.js';
import { RunFaults } from './run-faults.js';
import { RunController } from './run.controller.js';
import { RunGuard } from './run.guard.js';

/** The door of intents over plain HTTP: thin, between HTTP and the operations. */
@Module({})
export class RunModule {
  /** @param operations what it calls */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: RunModule,
      imports: [operations, IntentModule, GuardsModule, CallsModule],
      controllers: [RunController],
      providers: [RunFaults, RunGuard],
    };
  }
}
