import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BindingRunner } from '../binding/binding.runner.js';
import { exchangeOf } from '../binding/exchange.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { RestExchange } from './rest-exchange.js';
import { RestGuard } from './rest.guard.js';

/**
 * A2A over HTTP+JSON (A2A 1.0 §11, and 0.3's under `/v1`). One route handles every path that no other controller has:
 * the paths have custom verbs and ids of any kind, which Fastify's router cannot distinguish. The guard has read the
 * call and checked its right.
 */
@Controller()
@UseGuards(CallerGuard, RestGuard)
export class RestController {
  constructor(private readonly runner: BindingRunner) {}

  @All('*')
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.runner.run(exchangeOf(request, RestExchange), { request, reply });
  }
}
