import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../http/answer/answers.js';
import { BindingRunner } from '../../../http/binding/binding.runner.js';
import type { Sides } from '../../../http/binding/exchange.js';
import { StreamWriter } from '../../../http/sse/stream-writer.js';
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
    private readonly streams: StreamWriter,
  ) {}

  async send(exchange: OpenAiExchange, response: JsonObject, reply: FastifyReply): Promise<void> {
    await this.answers.sendAfterLines(reply, jsonAnswer(response));
    this.runner.end(exchange);
  }

  async stream(
    exchange: OpenAiExchange,
    { asked, params, turn }: ResponseTurn,
    { request, reply }: Sides,
  ): Promise<void> {
    const { call } = exchange.read ?? {};
    if (call === undefined) return;
    const permitted = await this.operations.permit('SendStreamingMessage', params, call);
    const { model, hasAskTool, format, echoed } = asked;
    const known = { model, hasAskTool, format, echoed };
    const events = new ResponseEvents(await this.operations.run(permitted), {
      ...{ asked: known, turn },
      ended: (address) => this.runs.ended(address, known, call),
    });
    const headers = this.answers.headersOfStream(reply);
    reply.hijack();
    request.exchange = undefined;
    const { raw } = reply;
    this.runner.follow(exchange, {
      ended: this.streams.write(raw, { events, headers, encode: (texts) => texts }),
      fail: (error) => raw.end(failed(errorOf(error))),
    });
  }
}

/** The last event of a stream that cannot go on. */
function failed({ message, code, param }: ReturnType<typeof errorOf>): string {
  return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: Number.MAX_SAFE_INTEGER, message, code, param })}\n\n`;
}
