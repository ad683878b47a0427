import { type DynamicModule, Module } from '@nestjs/common';
import { GuardsModule } from '../guards/guards.module.js';
import { SseModule } from '../sse/sse.module.js';
import { BindingRunner } from './binding.runner.js';
import { CallsModule } from './calls.module.js';
import { FeedRunner } from './feed.runner.js';

/** The dependencies of every binding: the guards, the runners of calls and feeds, and the streams that answer them. */
@Module({})
export class BindingModule {
  /** @param operations operations that the bindings call */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: BindingModule,
      imports: [operations, GuardsModule, CallsModule, SseModule],
      providers: [BindingRunner, FeedRunner],
      exports: [operations, GuardsModule, CallsModule, SseModule, BindingRunner, FeedRunner],
    };
  }
}
