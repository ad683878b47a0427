import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { HttpFault } from '../../../http/errors.js';
import type { Call } from '../../../operations/call.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { NO_RETRY } from '../openai-faults.js';
import { OWN_CHOICE } from '../offered-models.js';
import { UNKNOWN_REQUEST } from './response-input.js';
import {
  type Asked,
  earlierResponse,
  messageItem,
  messagesOfTurn,
  readResponseId,
  type ResponseAddress,
  responseHead,
  responseOf,
  turnOf,
  turnOfMessage,
} from './response-object.js';
import { textOfParts } from '../chat/chat-content.js';

/** Messages of a task among which its turns are counted. */
const MAX_HISTORY = 1_000;

/** Responses by their ids: turns of tasks of the caller. */
@Injectable()
export class ResponseRuns {
  constructor(private readonly operations: OperationExecutor) {}

  /** Runs a turn to its end, its question, or the end of the caller's time. */
  async run(
    { params, asked }: { readonly params: SendMessageRequest; readonly asked: Asked },
    call: Call,
  ): Promise<JsonObject> {
    const permitted = await this.operations.permit('SendMessage', params, call);
    const { value } = await this.operations.run(permitted);
    if ('task' in value) {
      const { task } = value;
      return responseAt(task, { taskId: task.id, turn: turnOfMessage(task, params.message.messageId) }, asked);
    }
    const { messageId, parts } = value.message;
    const status = { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() } as const;
    const head = responseHead({ taskId: messageId, turn: 1 }, status, asked);
    return { ...head, output: [messageItem(`msg_${messageId}`, textOfParts(parts))] };
  }

  /** The task of a response that another one follows, and why it cannot be followed. */
  async previous(id: string, call: Call): Promise<{ readonly task: Task; readonly fault: HttpFault | undefined }> {
    const { address, task } = await this.found(id, call);
    const { state } = task.status;
    const isOver = state === 'TASK_STATE_INPUT_REQUIRED' || isTerminal(state);
    if (isOver && address.turn === turnOf(task)) return { task, fault: undefined };
    const text = isOver ? 'Another response follows this one already' : 'The response is in progress';
    const metadata = { code: isOver ? 'response_followed' : 'task_running', taskId: task.id };
    return { task, fault: new HttpFault('InvalidRequest', `${text} (task ${task.id})`, 409, NO_RETRY, { metadata }) };
  }

  async retrieve(id: string, call: Call): Promise<JsonObject> {
    const { address, task } = await this.found(id, call);
    return responseAt(task, address, askedOf(task));
  }

  /** Idempotent: a response that has ended is returned as it is. */
  async cancel(id: string, call: Call): Promise<JsonObject> {
    const { address, task } = await this.found(id, call);
    // The task of an earlier response has gone on: it is not canceled with what has ended.
    if (address.turn < turnOf(task)) return responseAt(task, address, askedOf(task));
    try {
      await this.operations.run(await this.operations.permit('CancelTask', { id: address.taskId }, call));
    } catch (error) {
      if (!(error instanceof A2AError) || error.kind !== 'TaskNotCancelable') throw error;
    }
    return this.retrieve(id, call);
  }

  async inputItems(id: string, call: Call): Promise<JsonObject> {
    const { address, task } = await this.found(id, call);
    const said = messagesOfTurn(task.history ?? [], address.turn).filter(({ role }) => role === 'ROLE_USER');
    const data = said.map(({ messageId, parts }) => ({
      ...{ id: `msg_${messageId}`, type: 'message', role: 'user', status: 'completed' },
      content: parts.map((part) => ({ type: 'input_text', text: textOfParts([part]) })),
    }));
    return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
  }

  /** A response that has ended, as its stream tells it. */
  async ended({ taskId, turn }: ResponseAddress, asked: Asked, call: Call): Promise<JsonObject> {
    return responseAt(await this.task(taskId, call), { taskId, turn }, asked);
  }

  private async found(id: string, call: Call): Promise<{ readonly address: ResponseAddress; readonly task: Task }> {
    const address = readResponseId(id);
    if (address === undefined) throw noResponse();
    const task = await this.task(address.taskId, call);
    if (address.turn > turnOf(task) || address.turn === 0) throw noResponse();
    return { address, task };
  }

  private async task(id: string, call: Call): Promise<Task> {
    try {
      const permitted = await this.operations.permit('GetTask', { id, historyLength: MAX_HISTORY }, call);
      return (await this.operations.run(permitted)).value;
    } catch (error) {
      throw error instanceof A2AError && error.kind === 'TaskNotFound' ? noResponse() : error;
    }
  }
}

function responseAt(task: Task, address: ResponseAddress, asked: Asked): JsonObject {
  return address.turn < turnOf(task) ? earlierResponse(task, address, asked) : responseOf(task, address, asked);
}

/** What is known of a request when its response is read later. */
function askedOf({ history = [] }: Task): Asked {
  const model = history[0]?.metadata?.skillId;
  return {
    model: typeof model === 'string' ? model : OWN_CHOICE,
    ...{ hasAskTool: false, format: undefined, echoed: UNKNOWN_REQUEST },
  };
}

/** The same for an id that never was, and for one of another caller. */
function noResponse(): A2AError {
  return taskNotFound();
}
