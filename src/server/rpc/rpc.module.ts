import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../intent/intent.module.js';
import { RpcController } from './rpc.controller.js';
import { RpcGuard } from './rpc.guard.js';

/** The JSON-RPC bindings: thin, between HTTP and the operations. */
@Module({})
export class RpcModule {
  /** @param binding what every binding is made of */
  static forRoot(binding: DynamicModule): DynamicModule {
    return {
      module: RpcModule,
      imports: [binding, IntentModule],
      controllers: [RpcController],
      providers: [RpcGuard],
    };
  }
}
