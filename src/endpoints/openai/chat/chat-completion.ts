import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Task } from '@parley/protocol/model/task.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import type { Message } from '@parley/protocol/model/message.js';
import { PLAIN_JSON_HEADERS } from '../../../http/answer/media-types.js';
import type { TextAnswer } from '../../../http/errors.js';
import { contentOf, endingFault, jsonOf, textOfParts, usageOf } from './chat-content.js';
import type { ChatRequest } from './chat-input.js';
import { askCalls, askedText } from './questions-in-chat.js';

/** The head of a completion and of its chunks. */
export function completionHead(taskId: string, model: string, created: string): JsonObject {
  const seconds = Math.floor(Date.parse(created) / 1000);
  return { id: `chatcmpl-${taskId}`, created: Number.isNaN(seconds) ? 0 : seconds, model };
}

/** A task that has settled as a chat completion. @throws A2AError where it has no answer */
export function completionOf(task: Task, { model, hasAskTool, format }: ChatRequest): JsonObject {
  const { id, status } = task;
  const fault = endingFault(id, status);
  if (fault !== undefined) throw fault;
  const usage = usageOf(task);
  const head = { ...completionHead(id, model, status.timestamp), object: 'chat.completion' };
  const end = (message: JsonObject, reason: string): JsonObject => ({
    ...head,
    choices: [
      { index: 0, message: { role: 'assistant', refusal: null, ...message }, logprobs: null, finish_reason: reason },
    ],
    ...(usage === undefined ? {} : { usage }),
  });
  if (!isInterrupted(status.state))
    return end({ content: format === undefined ? contentOf(task) : jsonOf(task, format) }, 'stop');
  if (hasAskTool && status.state === 'TASK_STATE_INPUT_REQUIRED')
    return end({ content: null, tool_calls: askCalls(id, status) }, 'tool_calls');
  return end({ content: askedText(status) }, 'stop');
}

/** The answer of a skill that answers without a task. */
export function directCompletion({ messageId, parts }: Message, { model }: Pick<ChatRequest, 'model'>): JsonObject {
  return ended(completionHead(messageId, model, new Date().toISOString()), textOfParts(parts));
}

/** The answer to a request that begins no task, such as for the title of a chat. */
export function emptyCompletion(model: string): JsonObject {
  return ended(completionHead('none', model, new Date().toISOString()), '');
}

function ended(head: JsonObject, content: string): JsonObject {
  const message = { role: 'assistant', content, refusal: null };
  return {
    ...{ ...head, object: 'chat.completion' },
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
  };
}

export function jsonAnswer(value: JsonObject): TextAnswer {
  return { status: 200, headers: PLAIN_JSON_HEADERS, text: JSON.stringify(value) };
}
