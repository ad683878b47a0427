import { type DynamicModule, Module } from '@nestjs/common';
import { GuardsModule } from '../guards/guards.module.js';
import { SseModule } from '../sse/sse.module.js';
import { BindingRunner } from './binding.runner.js';
import { CallsModule } from './calls.module.js';

/** The dependencies of every binding: the caller guard, the runner of calls, and the streams that answer them. */
@Module({})
export class BindingModule {
  /** @param operations operations that the bindings call */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: BindingModule,
      imports: [operations, GuardsModule, CallsModule, SseModule],
      providers: [BindingRunner],
      exports: [operations, GuardsModule, CallsModule, SseModule, BindingRunner],
    };
  }
}
