import { type DynamicModule, Module } from '@nestjs/common';
import { SseModule } from '../sse/sse.module.js';
import { CallRunner } from '../http/call-runner.js';
import { BindingOptions } from '../http/binding.options.js';
import { GrpcBinding } from './grpc.binding.js';
import { GrpcCalls } from './grpc-calls.js';
import { GrpcOptions } from './grpc.options.js';
import { GrpcStreamWriter } from './grpc-stream.writer.js';
import { GrpcServer } from './grpc.server.js';

/** The gRPC bindings: thin, between a server of their own and the operations. */
@Module({})
export class GrpcModule {
  static forRoot(options: GrpcOptions): DynamicModule {
    return {
      module: GrpcModule,
      imports: [SseModule],
      providers: [
        { provide: GrpcOptions, useValue: options },
        { provide: BindingOptions, useValue: options },
        GrpcCalls,
        GrpcStreamWriter,
        CallRunner,
        GrpcBinding,
        GrpcServer,
      ],
    };
  }
}
