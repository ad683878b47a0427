import { Module } from '@nestjs/common';
import { RpcController } from './rpc.controller.js';

/** The JSON-RPC binding: thin, between HTTP and the operations. */
@Module({ controllers: [RpcController] })
export class RpcModule {}
