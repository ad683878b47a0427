import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../auth/caller.gate.js';
import { Answers } from '../../http/answer/answers.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import { exchangeOf, type Sides } from '../../http/binding/exchange.js';
import { CallerGuard } from '../../http/guards/caller.guard.js';
import type { Call } from '../../operations/call.js';
import { jsonAnswer } from './chat/chat-completion.js';
import { OfferedModels } from './offered-models.js';
import { OpenAiExchange } from './openai-exchange.js';
import { OPENAI_PATH } from './openai-faults.js';
import { OpenAiGuard } from './openai.guard.js';

/** The models of OpenAI's API: the skills of the caller. */
@Controller(`${OPENAI_PATH}/models`)
@UseGuards(CallerGuard, OpenAiGuard)
export class ModelsController {
  constructor(
    private readonly models: OfferedModels,
    private readonly gate: CallerGate,
    private readonly runner: BindingRunner,
    private readonly answers: Answers,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer({ request, reply }, (call) => ({ object: 'list', data: this.models.list(call) }));
  }

  @Get(':id')
  one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = request.params as { readonly id: string };
    return this.answer({ request, reply }, (call) => this.models.described(this.models.skillOf(id, call)));
  }

  private async answer({ request, reply }: Sides, valueFor: (call: Call) => JsonObject): Promise<void> {
    const exchange = exchangeOf(request, OpenAiExchange);
    const { call } = exchange.request;
    call.setHeaders(await this.gate.permitList(call.principal));
    this.answers.send(reply, jsonAnswer(valueFor(call)));
    this.runner.end(exchange);
  }
}
