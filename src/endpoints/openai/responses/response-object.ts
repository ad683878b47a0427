import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { Artifact, Task, TaskStatus } from '@parley/protocol/model/task.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { textOfMessage } from '../../../operations/open-forms.js';
import { jsonOf, textOfParts, usageOf } from '../chat/chat-content.js';
import { askCalls, askedText } from '../chat/questions-in-chat.js';
import type { ResponseRequest } from './response-input.js';

/** What of its request a response has. */
export type Asked = Pick<ResponseRequest, 'model' | 'hasAskTool' | 'format' | 'echoed'>;

/** The id of a response, taken apart: a turn of a task, from a message of the user to the next one. */
export interface ResponseAddress {
  readonly taskId: string;
  readonly turn: number;
}

const STATUS: Readonly<Record<TaskState, string>> = {
  ...{ TASK_STATE_SUBMITTED: 'queued', TASK_STATE_WORKING: 'in_progress', TASK_STATE_AUTH_REQUIRED: 'in_progress' },
  ...{ TASK_STATE_INPUT_REQUIRED: 'completed', TASK_STATE_COMPLETED: 'completed', TASK_STATE_FAILED: 'failed' },
  ...{ TASK_STATE_REJECTED: 'failed', TASK_STATE_CANCELED: 'cancelled' },
};

export function responseId({ taskId, turn }: ResponseAddress): string {
  return `resp_${taskId}_${String(turn)}`;
}

/** Undefined for a text that is no id of a response: it costs no read. */
export function readResponseId(id: string): ResponseAddress | undefined {
  const [, taskId, turn] = /^resp_([\w-]{1,64})_(\d{1,6})$/.exec(id) ?? [];
  return taskId === undefined ? undefined : { taskId, turn: Number(turn) };
}

/** The number of the latest turn of a task. */
export function turnOf({ history = [] }: Pick<Task, 'history'>): number {
  return Math.max(1, history.filter(({ role }) => role === 'ROLE_USER').length);
}

/** The number of the turn that a message began; of one that the history does not have yet, the next one. */
export function turnOfMessage({ history = [] }: Pick<Task, 'history'>, messageId: string): number {
  const said = history.filter(({ role }) => role === 'ROLE_USER');
  const at = said.findIndex((message) => message.messageId === messageId);
  return (at < 0 ? said.length : at) + 1;
}

/** A response without its output. */
export function responseHead(address: ResponseAddress, status: TaskStatus, { model, echoed }: Asked): JsonObject {
  const { state, timestamp } = status;
  return {
    ...{ ...echoed, id: responseId(address), object: 'response', model, status: STATUS[state], output: [] },
    created_at: Math.floor(Date.parse(timestamp) / 1000),
    completed_at: STATUS[state] === 'completed' ? Math.floor(Date.parse(timestamp) / 1000) : null,
    error: errorIn(status),
    incomplete_details: state === 'TASK_STATE_CANCELED' ? { reason: 'cancelled' } : null,
    usage: null,
  };
}

/** A task as the response of its latest turn. */
export function responseOf(task: Task, address: ResponseAddress, asked: Asked): JsonObject {
  const { format } = asked;
  const head = responseHead(address, task.status, asked);
  const usage = usageOf(task);
  const counted = usage === undefined ? null : usageItems(usage);
  if (format === undefined || task.status.state !== 'TASK_STATE_COMPLETED')
    return { ...head, output: outputOf(task, asked.hasAskTool), usage: counted };
  try {
    return { ...head, output: [messageItem(`msg_${task.id}`, jsonOf(task, format))], usage: counted };
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    const failed = { code: error.metadata.code ?? 'server_error', message: error.message };
    return { ...head, status: 'failed', completed_at: null, error: failed, usage: counted };
  }
}

/** An earlier turn of a task: it ended with a question. */
export function earlierResponse({ history = [], status }: Task, address: ResponseAddress, request: Asked): JsonObject {
  const ended: TaskStatus = { ...status, state: 'TASK_STATE_INPUT_REQUIRED' };
  // What the agent said before was progress.
  const asked = messagesOfTurn(history, address.turn)
    .filter(({ role }) => role === 'ROLE_AGENT')
    .slice(-1);
  const output = asked.map(({ messageId, parts }) => messageItem(`msg_${messageId}`, textOfParts(parts)));
  return { ...responseHead(address, ended, request), output };
}

/** The messages from one of the user to the next one. */
export function messagesOfTurn(history: readonly Message[], turn: number): readonly Message[] {
  let at = 0;
  return history.filter(({ role }) => {
    if (role === 'ROLE_USER') at += 1;
    return at === turn;
  });
}

export function messageItem(id: string, text: string, status = 'completed'): JsonObject {
  return { id, type: 'message', role: 'assistant', status, content: [textContent(text)] };
}

export function textContent(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function artifactItemId(taskId: string, { artifactId }: Pick<Artifact, 'artifactId'>, restarts = 0): string {
  return `msg_${taskId}_${artifactId}${restarts === 0 ? '' : `_${String(restarts)}`}`;
}

/** The items behind the artifacts: the questions of a task, or its last words. */
export function lastItems(
  id: string,
  status: TaskStatus,
  hasAskTool: boolean,
  hasArtifacts: boolean,
): readonly JsonObject[] {
  if (status.state === 'TASK_STATE_INPUT_REQUIRED' && hasAskTool)
    return askCalls(id, status).map(({ id: callId, function: called }) => ({
      ...{ id: `fc_${String(callId)}`, type: 'function_call', call_id: callId, status: 'completed' },
      ...(called as JsonObject),
    }));
  const isAsked = status.state === 'TASK_STATE_INPUT_REQUIRED' || status.state === 'TASK_STATE_AUTH_REQUIRED';
  const said = isAsked ? askedText(status) : hasArtifacts ? '' : endText(status);
  return said === '' ? [] : [messageItem(`msg_${id}_end`, said)];
}

function outputOf({ id, artifacts = [], status }: Task, hasAskTool: boolean): readonly JsonObject[] {
  const items = artifacts.map((one) => messageItem(artifactItemId(id, one), textOfParts(one.parts)));
  return [...items, ...lastItems(id, status, hasAskTool, artifacts.length > 0)];
}

function endText({ state, message }: TaskStatus): string {
  return state === 'TASK_STATE_COMPLETED' ? textOfMessage(message) : '';
}

function errorIn({ state, message }: TaskStatus): JsonObject | null {
  if (STATUS[state] !== 'failed') return null;
  const said = textOfMessage(message);
  const code = state === 'TASK_STATE_REJECTED' ? 'task_rejected' : 'server_error';
  return { code, message: said === '' ? 'The task failed' : said };
}

function usageItems({ prompt_tokens: input, completion_tokens: output, total_tokens: total }: JsonObject): JsonObject {
  return {
    ...{ input_tokens: input, output_tokens: output, total_tokens: total },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
}
