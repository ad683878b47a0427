import { type DynamicModule, Module } from '@nestjs/common';
import { GuardsModule } from '../guards/guards.module.js';
import { CallsModule } from '../binding/calls.module.js';
import { SseModule } from '../sse/sse.module.js';
import { ExtendedCardController } from './extended-card.controller.js';
import { RestFaults } from './rest-faults.js';
import { RestController } from './rest.controller.js';
import { RestGuard } from './rest.guard.js';

/** The HTTP+JSON bindings: thin, between HTTP and the operations. */
@Module({})
export class RestModule {
  /** @param operations what it calls */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: RestModule,
      imports: [operations, GuardsModule, CallsModule, SseModule],
      controllers: [ExtendedCardController, RestController],
      providers: [RestFaults, RestGuard],
    };
  }
}
