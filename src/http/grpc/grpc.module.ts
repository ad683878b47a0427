import { type DynamicModule, Module } from '@nestjs/common';
import { AddressModule } from '../../platform/address/address.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { CallsModule } from '../binding/calls.module.js';
import { SseModule } from '../sse/sse.module.js';
import { GrpcBinding } from './grpc.binding.js';
import { GrpcTraffic } from './grpc-traffic.js';
import { GrpcCalls } from './grpc-calls.js';
import { GrpcOptions } from './grpc.options.js';
import { GrpcStreamWriter } from './grpc-stream.writer.js';
import { GrpcServer } from './grpc.server.js';

/** The gRPC bindings: a thin layer between a server of their own and the operations. */
@Module({})
export class GrpcModule {
  /** @param operations operations to call */
  static forRoot(options: GrpcOptions, operations: DynamicModule): DynamicModule {
    return {
      module: GrpcModule,
      imports: [operations, CallsModule, LimitModule, SseModule, AddressModule],
      providers: [
        { provide: GrpcOptions, useValue: options },
        ...[GrpcCalls, GrpcTraffic, GrpcStreamWriter, GrpcBinding, GrpcServer],
      ],
    };
  }
}
