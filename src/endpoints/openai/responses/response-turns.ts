import { Injectable } from '@nestjs/common';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { FastifyRequest } from 'fastify';
import type { Call } from '../../../operations/call.js';
import { ChatTurns, keysOf } from '../chat/chat-turns.js';
import { OfferedModels } from '../offered-models.js';
import { OpenAiSettings } from '../openai.settings.js';
import { readResponseRequest, type ResponseRequest } from './response-input.js';
import { ResponseRuns } from './response-runs.js';

/** A turn as it is handed to the operations. */
export interface ResponseTurn {
  readonly asked: ResponseRequest;
  readonly params: SendMessageRequest;
}

/** The message of a request of the Responses API. */
@Injectable()
export class ResponseTurns {
  constructor(
    private readonly models: OfferedModels,
    private readonly turns: ChatTurns,
    private readonly runs: ResponseRuns,
    private readonly settings: OpenAiSettings,
  ) {}

  /** @throws A2AError before any task */
  async turnOf(body: unknown, request: FastifyRequest, call: Call): Promise<ResponseTurn> {
    const asked = readResponseRequest(body, { takesStoreFalse: this.settings.ignoreStore });
    const skill = this.models.skillOf(asked.model, call, asked.format !== undefined);
    const previous = asked.previousId === undefined ? undefined : await this.runs.previous(asked.previousId, call);
    const message = await this.turns.messageOf(asked, { ...keysOf(request), previous: previous?.task }, skill, call);
    // A repeated request is answered although its answer has changed the task.
    const isRepeated = previous?.task.history?.some(({ messageId }) => messageId === message.messageId) === true;
    if (previous?.fault !== undefined && !isRepeated) throw previous.fault;
    // Turns are counted by the history.
    const configuration = asked.isBackground && !asked.isStream ? { returnImmediately: true } : {};
    return { asked, params: { message, configuration } };
  }
}
