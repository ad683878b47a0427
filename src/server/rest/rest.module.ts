import { type DynamicModule, Module } from '@nestjs/common';
import { ExtendedCardController } from './extended-card.controller.js';
import { RestController } from './rest.controller.js';
import { RestGuard } from './rest.guard.js';

/** The HTTP+JSON bindings: thin, between HTTP and the operations. */
@Module({})
export class RestModule {
  /** @param binding what every binding is made of */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RestModule,
      imports: [binding],
      controllers: [ExtendedCardController, RestController],
      providers: [RestGuard],
    };
  }
}
