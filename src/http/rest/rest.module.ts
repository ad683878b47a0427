import { type DynamicModule, Module } from '@nestjs/common';
import { ExtendedCardController } from './extended-card.controller.js';
import { RestController } from './rest.controller.js';
import { RestGuard } from './rest.guard.js';

/** The HTTP+JSON bindings: a thin layer between HTTP and the operations. */
@Module({})
export class RestModule {
  /** @param binding dependencies of every binding */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RestModule,
      imports: [binding],
      controllers: [ExtendedCardController, RestController],
      providers: [RestGuard],
    };
  }
}
