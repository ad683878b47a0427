import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import { bytesAsJson, type JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { ListTasksRequest, ListTasksResponse } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { FastifyRequest } from 'fastify';
import { headerOf } from '../../../http/request/request-headers.js';
import type { Call } from '../../../operations/call.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import {
  ANSWERS_HISTORY,
  answering,
  type FormAnswer,
  isDecision,
  openForms,
  takesAnswer,
} from '../../../operations/open-forms.js';
import { HttpFault } from '../../../http/errors.js';
import { requireTextRoom } from '../../../http/request/request-body.js';
import { NO_RETRY } from '../openai-faults.js';
import type { CallOutput, ChatRequest } from './chat-input.js';
import { askedText, calledForm } from './questions-in-chat.js';

/** The stated identity of a request, from its headers. */
export interface ChatKeys {
  readonly idempotencyKey: string | undefined;
  /** Of the conversation. */
  readonly conversation: string | undefined;
  /** The task that the message follows: it answers its question, or begins another one in its context. */
  readonly previous?: Task | undefined;
}

/** Headers that name a conversation, the first one first. */
const CONVERSATION_HEADERS = ['x-parley-context', 'x-openwebui-chat-id', 'x-conversation-id'];

export function keysOf(request: FastifyRequest): ChatKeys {
  return {
    idempotencyKey: headerOf(request, 'idempotency-key'),
    conversation: CONVERSATION_HEADERS.map((name) => headerOf(request, name)).find((value) => value !== undefined),
  };
}

/** The member of a message's metadata for the hints of a client. */
const HINTS = 'openai';
const MAX_KEY = 240;
/** Waiting tasks among which a keyless answer looks for its question. */
const MAX_WAITING = 100;
/** Recent tasks and messages among which the answer of a repeated request is found. */
const MAX_RECENT = 20;

/** The message of a chat completion request: it begins a task, or answers the question of one. */
@Injectable()
export class ChatTurns {
  constructor(private readonly operations: OperationExecutor) {}

  /** @throws A2AError InvalidParams, RequestTooLarge */
  async messageOf(asked: ChatRequest, keys: ChatKeys, skill: SkillOptions | undefined, call: Call): Promise<Message> {
    const message = await this.newest(asked, keys, skill, call);
    // The history that a client sends is not stored, and may be larger.
    requireTextRoom(bytesAsJson(message), message);
    return message;
  }

  private async newest(
    asked: ChatRequest,
    keys: ChatKeys,
    skill: SkillOptions | undefined,
    call: Call,
  ): Promise<Message> {
    const key = keyOf('Idempotency-Key', keys.idempotencyKey);
    const conversation = keyOf('metadata.context_id', keys.conversation ?? asked.contextId);
    const { previous } = keys;
    const contextId = previous?.contextId ?? (conversation === undefined ? undefined : `openai:${conversation}`);
    if (asked.outputs.length > 0) return this.answers(asked.outputs, key, call);
    const head = {
      ...{ messageId: `openai:${key ?? randomUUID()}`, role: 'ROLE_USER' as const },
      ...(contextId === undefined ? {} : { contextId }),
    };
    const hasContext = contextId !== undefined || asked.said !== undefined;
    const repeated =
      key === undefined || !hasContext ? undefined : await this.repeated(head.messageId, { previous, contextId }, call);
    if (repeated !== undefined) return { ...repeated, parts: answerParts(asked.parts) };
    const waiting = previous === undefined ? await this.waitingTask(asked, contextId, call) : waitingOf(previous);
    const metadata = {
      ...(skill === undefined ? {} : { skillId: skill.id }),
      ...(Object.keys(asked.hints).length === 0 ? {} : { [HINTS]: asked.hints }),
    };
    if (waiting === undefined) {
      const referred = previous === undefined ? {} : { referenceTaskIds: [previous.id] };
      return { ...head, ...referred, parts: inputOf(asked.parts, skill), metadata };
    }
    const [form, ...others] = openForms(waiting.status);
    const named = form?.isListed === true && others.length === 0 ? { questionId: form.id } : undefined;
    return {
      ...{ ...head, taskId: waiting.id, contextId: waiting.contextId },
      parts: answerParts(asked.parts),
      metadata: { ...metadata, ...(named === undefined ? {} : { [QUESTIONS_EXTENSION]: named }) },
    };
  }

  /** @throws HttpFault for a question that its task asks no longer */
  private async answers(outputs: readonly CallOutput[], key: string | undefined, call: Call): Promise<Message> {
    const given = answersIn(outputs);
    const [{ taskId, questionId }] = given;
    const answer = answering('openai', given);
    const message = key === undefined ? answer : { ...answer, messageId: `openai:${key}` };
    // The service checks listed questions by their ids.
    if (given.every(({ isListed }) => isListed)) return message;
    const permitted = await this.operations.permit('GetTask', { id: taskId, historyLength: ANSWERS_HISTORY }, call);
    const { value } = await this.operations.run(permitted);
    if (takesAnswer(value, questionId, message)) return message;
    const metadata = { code: 'question_closed', taskId };
    throw new HttpFault('InvalidRequest', `The question is open no longer (task ${taskId})`, 409, NO_RETRY, {
      metadata,
    });
  }

  /** The answer that an earlier request with this key gave: its task may ask something else by now, or have ended. */
  private async repeated(
    messageId: string,
    { previous, contextId }: { readonly previous: Task | undefined; readonly contextId: string | undefined },
    call: Call,
  ): Promise<Message | undefined> {
    const known = {
      ...(contextId === undefined ? {} : { contextId }),
      pageSize: MAX_RECENT,
      historyLength: MAX_RECENT,
    };
    const tasks = previous === undefined ? (await this.list(known, call)).tasks : [previous];
    // The first message of a task began it: that is found by its id alone.
    return tasks.flatMap(({ history = [] }) => history.slice(1)).find((message) => message.messageId === messageId);
  }

  /**
   * The task whose question the words answer. Of a conversation: its only one that waits. Without one: the only task of
   * the caller that asked what the assistant said last, never for a decision.
   */
  private async waitingTask(
    { said }: ChatRequest,
    contextId: string | undefined,
    call: Call,
  ): Promise<Task | undefined> {
    if (contextId !== undefined) {
      const found = await this.waiting({ contextId, pageSize: 2 }, call);
      return found.length === 1 ? found[0] : undefined;
    }
    if (said === undefined || said.trim() === '') return undefined;
    const found = await this.waiting({ pageSize: MAX_WAITING }, call);
    const matching = found.filter(({ status }) => askedText(status) === said);
    const [only] = matching;
    if (only === undefined || matching.length > 1) return undefined;
    return openForms(only.status).some(({ schema }) => schema !== undefined && isDecision(schema)) ? undefined : only;
  }

  private async waiting(params: ListTasksRequest, call: Call): Promise<readonly Task[]> {
    const waiting = { ...params, status: 'TASK_STATE_INPUT_REQUIRED' as const, historyLength: 0 };
    const { tasks, nextPageToken } = await this.list(waiting, call);
    // Among more than these another one may match.
    return nextPageToken === '' ? tasks : [];
  }

  private async list(params: ListTasksRequest, call: Call): Promise<ListTasksResponse> {
    const permitted = await this.operations.permit('ListTasks', params, call);
    return (await this.operations.run(permitted)).value;
  }
}

function waitingOf(task: Task): Task | undefined {
  return task.status.state === 'TASK_STATE_INPUT_REQUIRED' ? task : undefined;
}

function keyOf(field: string, key: string | undefined): string | undefined {
  if (key === undefined || key === '') return undefined;
  if (key.length > MAX_KEY)
    throw invalidParams([{ field, description: `must have at most ${String(MAX_KEY)} characters` }]);
  return key;
}

/** The answers that outputs of `ask_user` are. */
function answersIn(outputs: readonly CallOutput[]): readonly [FormAnswer, ...FormAnswer[]] {
  const answers = outputs.flatMap(({ callId, text }) => {
    const form = calledForm(callId);
    return form === undefined ? [] : [{ ...form, value: jsonIn(text) ?? text }];
  });
  const [first, ...others] = answers;
  if (first === undefined || others.some(({ taskId }) => taskId !== first.taskId))
    throw invalidParams([{ field: 'messages', description: 'must answer open calls of one completion' }]);
  return [first, ...others];
}

function answerParts(parts: readonly Part[]): readonly Part[] {
  return parts.length === 1 ? parts.map(asData) : parts;
}

/** A text that is a JSON object, as data: for a skill with an input contract. */
function inputOf(parts: readonly Part[], skill: SkillOptions | undefined): readonly Part[] {
  return skill?.input !== undefined && parts.length === 1 ? parts.map(asData) : parts;
}

function asData(part: Part): Part {
  const data = 'text' in part ? jsonIn(part.text) : undefined;
  return data === undefined ? part : { data };
}

/** The JSON object that a text is, alone or in a fence. */
function jsonIn(text: string): JsonObject | undefined {
  const inside = text.trim().replace(/^```(?:json)?\s*\n([^]*)\n```$/, '$1');
  if (!inside.startsWith('{')) return undefined;
  try {
    const value = parseJson(Buffer.from(inside));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
