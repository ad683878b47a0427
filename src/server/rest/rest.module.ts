import { type DynamicModule, Module } from '@nestjs/common';
import { BindingOptions } from '../http/binding.options.js';
import { CallRunner } from '../http/call-runner.js';
import { HttpCalls } from '../http/http-calls.js';
import { SseModule } from '../sse/sse.module.js';
import { ExtendedCardController } from './extended-card.controller.js';
import { RestErrorFilter } from './rest-error.filter.js';
import { RestController } from './rest.controller.js';

/** The HTTP+JSON bindings: thin, between HTTP and the operations. */
@Module({})
export class RestModule {
  static forRoot(options: BindingOptions): DynamicModule {
    return {
      module: RestModule,
      imports: [SseModule],
      controllers: [ExtendedCardController, RestController],
      providers: [{ provide: BindingOptions, useValue: options }, HttpCalls, CallRunner, RestErrorFilter],
    };
  }
}
