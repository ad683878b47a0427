import { hash, randomUUID } from 'node:crypto';
import type { Call } from '../../../operations/call.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import type { Question } from '@parley/protocol/mcp/question.js';
import { PARLEY_META } from '@parley/protocol/mcp/revision.js';

/** Characters of a message id. */
const MOST = 128;

/**
 * The id of a call's message: the caller's key makes a repeated call idempotent (MCP-SRV-8); without a key each call is
 * new. MCP has no such key, and the id of a JSON-RPC request is not one. @throws McpFault for an invalid key
 */
export function messageIdOf({ [PARLEY_META.idempotencyKey]: key }: JsonObject): string {
  if (key === undefined) return randomUUID();
  if (typeof key !== 'string' || key === '' || key.length > MOST) {
    throw badParams(`_meta["${PARLEY_META.idempotencyKey}"] must be a text of 1 to ${String(MOST)} characters`);
  }
  return key;
}

/**
 * The id of the message with a person's answers to these questions: equal in every repeat, so that each person answers
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
