import { Injectable } from '@nestjs/common';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../http/answer/answers.js';
import { BindingRunner } from '../../../http/binding/binding.runner.js';
import type { Sides } from '../../../http/binding/exchange.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { jsonAnswer } from '../chat/chat-completion.js';
import type { OpenAiExchange } from '../openai-exchange.js';
import { errorOf } from '../openai-faults.js';
import { ResponseEvents } from './response-events.js';
import { ResponseRuns } from './response-runs.js';
import type { ResponseTurn } from './response-turns.js';

/** Answers with responses, whole or as their events. */
@Injectable()
export class ResponseAnswers {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly runs: ResponseRuns,
    private readonly runner: BindingRunner,
    private readonly answers: Answers,
  ) {}

  async send(exchange: OpenAiExchange, response: JsonObject, reply: FastifyReply): Promise<void> {
    await this.answers.sendAfterLines(reply, jsonAnswer(response));
    this.runner.end(exchange);
  }

  async stream(exchange: OpenAiExchange, { asked, params }: ResponseTurn, sides: Sides): Promise<void> {
    const { call } = exchange.request;
    const permitted = await this.operations.permit('SendStreamingMessage', params, call);
    const { model, hasAskTool, format, echoed } = asked;
    const known = { model, hasAskTool, format, echoed };
    const events = new ResponseEvents(await this.operations.run(permitted), {
      ...{ asked: known, messageId: params.message.messageId },
      ended: (address) => this.runs.ended(address, known, call),
    });
    void this.runner.stream(exchange, sides, { events, encode: (texts) => texts, lastFrame });
  }
}

/** The last event of a stream that cannot go on. */
function lastFrame(error: A2AError): string {
  const { message, code, param } = errorOf(error);
  return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: Number.MAX_SAFE_INTEGER, message, code, param })}\n\n`;
}
