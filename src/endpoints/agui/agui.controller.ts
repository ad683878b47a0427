import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGate } from '../../auth/caller.gate.js';
import { Answers } from '../../http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import type { TextAnswer } from '../../http/errors.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import { exchangeOf } from '../../http/binding/exchange.js';
import { CallerGuard } from '../../http/guards/caller.guard.js';
import { AguiExchange, type ReadRequest } from './agui-exchange.js';
import { AGUI_PATH } from './agui-faults.js';
import { AguiGuard } from './agui.guard.js';
import { capabilitiesOf } from './capabilities.js';
import { Conversations } from './conversations.js';
import { PageRuns } from './page-runs.js';

/** The routes of a skill for pages with an AG-UI client. */
@Controller(`${AGUI_PATH}/:skill`)
@UseGuards(CallerGuard)
export class AguiController {
  constructor(
    private readonly runs: PageRuns,
    private readonly conversations: Conversations,
    private readonly runner: BindingRunner,
    private readonly answers: Answers,
    private readonly gate: CallerGate,
  ) {}

  /** One run; with `Last-Event-ID` the same run goes on. */
  @Post()
  @UseGuards(AguiGuard)
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, AguiExchange);
    await this.runs.run(exchange, readOf(exchange), { request, reply });
  }

  /** The messages of a thread, then its task that runs. */
  @Post('connect')
  @UseGuards(AguiGuard)
  async connect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, AguiExchange);
    await this.conversations.connect(exchange, readOf(exchange), { request, reply });
  }

  /** Cancels the task of a run: the page may name either. */
  @Post('cancel')
  @UseGuards(AguiGuard)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, AguiExchange);
    const { call, body } = readOf(exchange);
    const { threadId, runId, taskId } = isJsonObject(body) ? body : {};
    if (typeof threadId !== 'string' || typeof runId !== 'string')
      throw invalidParams([{ field: 'threadId', description: 'and runId must be texts' }]);
    const id = typeof taskId === 'string' ? taskId : await this.conversations.taskOfRun(threadId, runId, call);
    const state = await this.runs.cancel(id, call);
    await this.answers.sendAfterLines(reply, jsonAnswer({ taskId: id, state }));
    this.runner.end(exchange);
  }

  @Get('capabilities')
  @UseGuards(AguiGuard)
  async capabilities(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, AguiExchange);
    const { call, skill } = readOf(exchange);
    call.setHeaders(await this.gate.permitList(call.principal));
    this.answers.send(reply, jsonAnswer(capabilitiesOf(skill)));
    this.runner.end(exchange);
  }
}

function jsonAnswer(value: JsonObject): TextAnswer {
  return { status: 200, headers: PLAIN_JSON_HEADERS, text: JSON.stringify(value) };
}

function readOf({ read }: AguiExchange): ReadRequest {
  if (read === undefined) throw new Error('The route has no guard that reads its requests');
  return read;
}
