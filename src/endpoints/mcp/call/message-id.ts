import { hash, randomUUID } from 'node:crypto';
import type { Call } from '../../../operation/call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import type { Question } from '@parley/protocol/mcp/question.js';
import { PARLEY_META } from '@parley/protocol/mcp/revision.js';

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

/**
 * The id of the message with which a person answers these questions: the same for every repetition, so that each person answers
 * a question once.
 */
export function answerIdOf(
  questions: readonly Question[],
  { principal }: Pick<Call, 'principal'>,
  suffix = '',
): string {
  const person = hash('sha256', JSON.stringify([principal.client, principal.subject ?? ''])).slice(0, 12);
  const end = `:${person}${suffix}`;
  return `mcp:${questions.map(({ key }) => key).join('+')}`.slice(0, MOST - end.length) + end;
}
