import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import type { Question } from '@parley/protocol/mcp/question.js';
import type { Seals } from './seals.js';

/** How long a question may stay with a client, in milliseconds. */
const GOOD_FOR_MS = 10 * 60_000;

/** A question held by a client: the asking task, and its open questions. */
export interface OpenState {
  readonly taskId: string;
  readonly questions: readonly Question[];
  /** Answers of an earlier attempt, by key. */
  readonly given: JsonObject;
}

/** The call that a state is bound to. */
export interface StatedCall {
  readonly owner: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/**
 * A state for the client to return (MCP-ASK-2): sealed for this caller, tool and arguments, and valid for ten minutes.
 */
export function sealState(seals: Seals, state: OpenState, call: StatedCall): string {
  const sealed = { ...state, tool: call.tool, digest: digestOf(call.args), until: Date.now() + GOOD_FOR_MS };
  return seals.seal('request-state', sealed, call.owner);
}

/** @throws McpFault for a state that was changed, has expired, or belongs to another caller or call */
export function openState(seals: Seals, text: unknown, call: StatedCall): OpenState {
  const state = typeof text === 'string' ? seals.open('request-state', text, call.owner) : undefined;
  const isOurs = isState(state) && state.tool === call.tool && state.digest === digestOf(call.args);
  if (!isOurs || state.until < Date.now()) throw badParams('The request state is not valid for this call');
  return { taskId: state.taskId, questions: state.questions, given: state.given };
}

interface SealedState extends OpenState {
  readonly tool: string;
  readonly digest: string;
  readonly until: number;
}

/** A sealed value was written by this service, so its members are valid. */
function isState(value: unknown): value is SealedState {
  return isJsonObject(value) && typeof value.taskId === 'string' && typeof value.until === 'number';
}

function digestOf(args: JsonObject): string {
  return createHash('sha256')
    .update(canonicalize(args) ?? '')
    .digest('base64url');
}
