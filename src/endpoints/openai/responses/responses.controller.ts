import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf, type Sides } from '../../../http/binding/exchange.js';
import { CallerGuard } from '../../../http/guards/caller.guard.js';
import type { Call } from '../../../operations/call.js';
import { OpenAiExchange } from '../openai-exchange.js';
import { OPENAI_PATH } from '../openai-faults.js';
import { OpenAiGuard } from '../openai.guard.js';
import { ResponseAnswers } from './response-answers.js';
import { ResponseRuns } from './response-runs.js';
import { ResponseTurns } from './response-turns.js';

/** OpenAI's Responses: a response is a turn of a task. */
@Controller(`${OPENAI_PATH}/responses`)
@UseGuards(CallerGuard, OpenAiGuard)
export class ResponsesController {
  constructor(
    private readonly turns: ResponseTurns,
    private readonly runs: ResponseRuns,
    private readonly answers: ResponseAnswers,
  ) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, OpenAiExchange);
    const { call, body } = exchange.request;
    const turn = await this.turns.turnOf(body, request, call);
    exchange.isSent = true;
    if (turn.asked.isStream) await this.answers.stream(exchange, turn, { request, reply });
    else await this.answers.send(exchange, await this.runs.run(turn, call), reply);
  }

  @Get(':id')
  retrieve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { stream } = request.query as { readonly stream?: string };
    if (stream === 'true') throw invalidParams([{ field: 'stream', description: 'is not supported here: poll' }]);
    return this.answer({ request, reply }, (id, call) => this.runs.retrieve(id, call));
  }

  @Post(':id/cancel')
  cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer({ request, reply }, (id, call) => this.runs.cancel(id, call));
  }

  @Get(':id/input_items')
  inputItems(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer({ request, reply }, (id, call) => this.runs.inputItems(id, call));
  }

  private async answer(
    { request, reply }: Sides,
    valueOf: (id: string, call: Call) => Promise<JsonObject>,
  ): Promise<void> {
    const exchange = exchangeOf(request, OpenAiExchange);
    const { id } = request.params as { readonly id: string };
    await this.answers.send(exchange, await valueOf(id, exchange.request.call), reply);
  }
}
