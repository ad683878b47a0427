import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import { exchangeOf } from '../../http/binding/exchange.js';
import { CallerGuard } from '../../http/guards/caller.guard.js';
import { RunExchange } from './run-exchange.js';
import { RUN_PATH } from './run-faults.js';
import { RunGuard } from './run.guard.js';

/** `POST /run` (seed 2 § 6.2). The guard has read the call and checked its right. */
@Controller()
@UseGuards(CallerGuard, RunGuard)
export class RunController {
  constructor(private readonly runner: BindingRunner) {}

  @Post(RUN_PATH)
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.runner.run(exchangeOf(request, RunExchange), { request, reply });
  }
}
