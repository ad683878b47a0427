import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BindingRunner } from '../binding/binding.runner.js';
import { exchangeOf } from '../binding/exchange.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { RpcExchange } from './rpc-exchange.js';
import { RPC_PATHS } from './rpc-faults.js';
import { RpcGuard } from './rpc.guard.js';

/** A2A over JSON-RPC 2.0 (A2A 1.0 §9, and all versions before). The guard has read the call and checked its right. */
@Controller()
@UseGuards(CallerGuard, RpcGuard)
export class RpcController {
  constructor(private readonly runner: BindingRunner) {}

  @Post(RPC_PATHS)
  @HttpCode(200)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.runner.run(exchangeOf(request, RpcExchange), { request, reply });
  }
}
