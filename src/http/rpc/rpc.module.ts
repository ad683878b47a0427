import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../operations/intents/intent.module.js';
import { RpcController } from './rpc.controller.js';
import { RpcGuard } from './rpc.guard.js';

/** The JSON-RPC bindings: a thin layer between HTTP and the operations. */
@Module({})
export class RpcModule {
  /** @param binding dependencies of every binding */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RpcModule,
      imports: [binding, IntentModule],
      controllers: [RpcController],
      providers: [RpcGuard],
    };
  }
}
