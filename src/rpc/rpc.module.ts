import { Module } from '@nestjs/common';
import { SseModule } from '../sse/sse.module.js';
import { RpcController } from './rpc.controller.js';

/** The JSON-RPC binding: thin, between HTTP and the operations. */
@Module({ imports: [SseModule], controllers: [RpcController] })
export class RpcModule {}
