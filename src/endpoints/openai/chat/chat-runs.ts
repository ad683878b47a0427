import { Injectable } from '@nestjs/common';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../http/answer/answers.js';
import { BindingRunner } from '../../../http/binding/binding.runner.js';
import type { Sides } from '../../../http/binding/exchange.js';
import type { TextAnswer } from '../../../http/errors.js';
import { headerOf } from '../../../http/request/request-headers.js';
import { EVENT_STREAM_HEADERS } from '../../../http/sse/sse-response.js';
import type { Call } from '../../../operations/call.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { ChatChunks, DONE } from './chat-chunks.js';
import { completionOf, directCompletion, emptyCompletion, jsonAnswer } from './chat-completion.js';
import type { ChatRequest } from './chat-input.js';
import type { OpenAiExchange } from '../openai-exchange.js';
import { errorOf } from '../openai-faults.js';

/** A turn as it is handed to the operations. */
export interface Turn {
  readonly asked: ChatRequest;
  readonly params: SendMessageRequest;
  readonly call: Call;
}

/** Runs turns, and answers with their completion or its chunks. */
@Injectable()
export class ChatRuns {
  constructor(
    private readonly operations: OperationExecutor,
    private readonly runner: BindingRunner,
    private readonly answers: Answers,
  ) {}

  /** Answers a request that begins no task. */
  skip(exchange: OpenAiExchange, { model, isStream }: ChatRequest, reply: FastifyReply): void {
    this.answers.send(reply, isStream ? emptyStream(model) : jsonAnswer(emptyCompletion(model)));
    this.runner.end(exchange);
  }

  async answer(exchange: OpenAiExchange, { asked, params, call }: Turn, { reply }: Sides): Promise<void> {
    const permitted = await this.operations.permit('SendMessage', params, call);
    const { value } = await this.operations.run(permitted);
    const completion = 'task' in value ? completionOf(value.task, asked) : directCompletion(value.message, asked);
    await this.answers.sendAfterLines(reply, jsonAnswer(completion));
    this.runner.end(exchange);
  }

  async stream(exchange: OpenAiExchange, { asked, params, call }: Turn, sides: Sides): Promise<void> {
    const { model, wantsUsage, hasAskTool, format } = asked;
    const permitted = await this.operations.permit('SendStreamingMessage', params, call);
    const events = new ChatChunks(await this.operations.run(permitted), {
      ...{ model, wantsUsage, hasAskTool, format },
      showsProgress: headerOf(sides.request, 'x-parley-progress') !== 'off',
      isAnswer: params.message.taskId !== undefined,
      completed: (taskId) => this.completed(taskId, call),
    });
    const lastFrame = (error: A2AError): string => `data: ${JSON.stringify({ error: errorOf(error) })}\n\n`;
    void this.runner.stream(exchange, sides, { events, encode: (texts) => texts, lastFrame });
  }

  private async completed(id: string, call: Call): Promise<Task> {
    const permitted = await this.operations.permit('GetTask', { id, historyLength: 0 }, call);
    return (await this.operations.run(permitted)).value;
  }
}

function emptyStream(model: string): TextAnswer {
  const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
  const chunk = JSON.stringify({ ...emptyCompletion(model), object: 'chat.completion.chunk', choices });
  return {
    status: 200,
    headers: EVENT_STREAM_HEADERS,
    text: [chunk, DONE].map((text) => `data: ${text}\n\n`).join(''),
  };
}
