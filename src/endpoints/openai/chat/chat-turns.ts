import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { ListTasksRequest, ListTasksResponse } from '@parley/protocol/model/operations.js';
import type { Task } from '@parley/protocol/model/task.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { FastifyRequest } from 'fastify';
import { headerOf } from '../../../http/request/request-headers.js';
import type { Call } from '../../../operations/call.js';
import { OperationExecutor } from '../../../operations/executor/operation-executor.js';
import { isDecision, openForms } from '../../../operations/open-forms.js';
import type { CallOutput, ChatRequest } from './chat-input.js';
import { askedText, readCallId } from './questions-in-chat.js';

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

  /** @throws A2AError InvalidParams */
  async messageOf(asked: ChatRequest, keys: ChatKeys, skill: SkillOptions | undefined, call: Call): Promise<Message> {
    const key = keyOf('Idempotency-Key', keys.idempotencyKey);
    const conversation = keyOf('metadata.context_id', keys.conversation ?? asked.contextId);
    const { previous } = keys;
    const contextId = previous?.contextId ?? (conversation === undefined ? undefined : `openai:${conversation}`);
    if (asked.outputs.length > 0) return answers(asked.outputs, key);
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

/** The outputs of `ask_user` as one message, whose id follows from them: sent twice, it is the same one. */
function answers(outputs: readonly CallOutput[], key: string | undefined): Message {
  const given = outputs.flatMap(({ callId, text }) => {
    const address = readCallId(callId);
    return address === undefined ? [] : [{ ...address, text }];
  });
  const [first] = given;
  if (first === undefined || given.some(({ taskId }) => taskId !== first.taskId))
    throw invalidParams([{ field: 'messages', description: 'must answer open calls of one completion' }]);
  const digest = createHash('sha256')
    .update(canonicalize(given.map(({ questionId, text }) => [questionId, text])) ?? '')
    .digest('base64url');
  const head = { messageId: `openai:${key ?? digest}`, taskId: first.taskId, role: 'ROLE_USER' as const };
  if (given.length === 1) {
    const named = first.isListed ? { [QUESTIONS_EXTENSION]: { questionId: first.questionId } } : {};
    return { ...head, parts: [asData({ text: first.text })], metadata: named };
  }
  const byId = given.map(({ questionId, text }) => [questionId, jsonIn(text) ?? text] as const);
  return { ...head, parts: [{ data: { answers: Object.fromEntries(byId) } }] };
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
