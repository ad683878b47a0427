import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from '../../../http/binding/exchange.js';
import { CallerGuard } from '../../../http/guards/caller.guard.js';
import { headerOf } from '../../../http/request/request-headers.js';
import { readChatRequest } from './chat-input.js';
import { ChatRuns } from './chat-runs.js';
import { ChatTurns, keysOf } from './chat-turns.js';
import { OfferedModels } from '../offered-models.js';
import { OpenAiExchange } from '../openai-exchange.js';
import { OPENAI_PATH } from '../openai-faults.js';
import { OpenAiGuard } from '../openai.guard.js';
import { OpenAiSettings } from '../openai.settings.js';

/** Set by Open WebUI on requests for titles, tags and follow-ups: they are no turn of a conversation. */
const SIDE_TASK_HEADER = 'x-openwebui-task';

/** OpenAI's Chat Completions: a completion is a task, or the next turn of one. */
@Controller(`${OPENAI_PATH}/chat/completions`)
@UseGuards(CallerGuard, OpenAiGuard)
export class ChatController {
  constructor(
    private readonly models: OfferedModels,
    private readonly turns: ChatTurns,
    private readonly runs: ChatRuns,
    private readonly settings: OpenAiSettings,
  ) {}

  @Post()
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, OpenAiExchange);
    const { call, body } = exchange.request;
    const asked = readChatRequest(body, { takesStoreFalse: this.settings.ignoreStore });
    const skill = this.models.skillOf(asked.model, call, asked.format !== undefined);
    if (headerOf(request, SIDE_TASK_HEADER) !== undefined) {
      this.runs.skip(exchange, asked, reply);
      return;
    }
    const message = await this.turns.messageOf(asked, keysOf(request), skill, call);
    const params = { message, configuration: { historyLength: 0 } };
    exchange.isSent = true;
    const turn = { asked, params, call };
    if (asked.isStream) await this.runs.stream(exchange, turn, { request, reply });
    else await this.runs.answer(exchange, turn, { request, reply });
  }
}
