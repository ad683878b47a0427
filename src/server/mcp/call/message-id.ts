import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../protocol/json.js';
import { badParams } from '../../../wire/mcp/mcp-fault.js';
import type { Question } from '../../../wire/mcp/question.js';
import { PARLEY_META } from '../../../wire/mcp/revision.js';

/** Characters of a message id. */
const MOST = 128;

/**
 * The id of a call's message: the caller's own key makes a repeated call the same call (MCP-SRV-8), without one each call
 * is another. MCP has no key of its own, and the id of a JSON-RPC request is none. @throws McpFault for a key that is none
 */
export function messageIdOf({ [PARLEY_META.idempotencyKey]: key }: JsonObject): string {
  if (key === undefined) return randomUUID();
  if (typeof key !== 'string' || key === '' || key.length > MOST) {
    throw badParams(`_meta["${PARLEY_META.idempotencyKey}"] must be a text of 1 to ${String(MOST)} characters`);
  }
  return key;
}

/** No other message of a task has an id that begins so. */
const ANSWER = 'mcp:';

/** Whether a message answers questions, by its id: it is one for the life of the task. */
export function isAnswerId(messageId: string): boolean {
  return messageId.startsWith(ANSWER);
}

/** The id of the message that answers these questions: the same for every repetition, so that a question is answered once. */
export function answerIdOf(questions: readonly Question[], suffix = ''): string {
  return `${ANSWER}${questions.map(({ key }) => key).join('+')}`.slice(0, MOST - suffix.length) + suffix;
}
