import { type DynamicModule, Module } from '@nestjs/common';
import { BindingOptions } from '../http/binding.options.js';
import { CallRunner } from '../http/call-runner.js';
import { HttpCalls } from '../http/http-calls.js';
import { SseModule } from '../sse/sse.module.js';
import { RpcErrorFilter } from './rpc-error.filter.js';
import { RpcController } from './rpc.controller.js';

/** The JSON-RPC bindings: thin, between HTTP and the operations. */
@Module({})
export class RpcModule {
  static forRoot(options: BindingOptions): DynamicModule {
    return {
      module: RpcModule,
      imports: [SseModule],
      controllers: [RpcController],
      providers: [{ provide: BindingOptions, useValue: options }, HttpCalls, CallRunner, RpcErrorFilter],
    };
  }
}
