import { type DynamicModule, Module } from '@nestjs/common';
import { IntentModule } from '../../intent/intent.module.js';
import { GuardsModule } from '../guards/guards.module.js';
import { CallsModule } from '../binding/calls.module.js';
import { SseModule } from '../sse/sse.module.js';
import { RpcFaults } from './rpc-faults.js';
import { RpcController } from './rpc.controller.js';
import { RpcGuard } from './rpc.guard.js';

/** The JSON-RPC bindings: thin, between HTTP and the operations. */
@Module({})
export class RpcModule {
  /** @param operations what it calls */
  static forRoot(operations: DynamicModule): DynamicModule {
    return {
      module: RpcModule,
      imports: [operations, IntentModule, GuardsModule, CallsModule, SseModule],
      controllers: [RpcController],
      providers: [RpcFaults, RpcGuard],
    };
  }
}
