import { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import type { AgentAnswer } from '../http/agent-http.js';
import { failedCall } from '../http/failed-answer.js';
import { invalidAnswer, RemoteError } from '../http/remote-errors.js';

/** Depth and structural characters of one JSON document: bounds the time that parsing it takes. */
const SCAN = { maxDepth: 64, maxTokens: 200_000 };

/** An agent that does not know a method for sending has begun nothing: its version may be an older one. */
export function isUnknownSend(operation: OperationName, error: unknown): boolean {
  const isSend = operation === 'SendMessage' || operation === 'SendStreamingMessage';
  if (!isSend || !(error instanceof RemoteError)) return false;
  return error.protocolFault === 'MethodNotFound' || error.protocolFault === 'InvalidRequest';
}

export function rpcResult(body: unknown, id: string, retryAfter?: string): unknown {
  if (!isJsonObject(body) || body.jsonrpc !== '2.0') throw invalidAnswer("The agent's answer is not JSON-RPC 2.0");
  if (body.error !== undefined) throw failedCall(body.error, retryAfter);
  if (body.id !== id) throw invalidAnswer("The agent's answer has the id of another call");
  return body.result;
}

export function parsed(text: Buffer): unknown {
  try {
    return parseJson(text, SCAN);
  } catch (error) {
    throw invalidAnswer(
      error instanceof Error ? `The agent's answer: ${error.message}` : 'The answer is not JSON',
      error,
    );
  }
}

export function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof A2AError && error.kind === 'InvalidAgentResponse') throw invalidAnswer(error.message, error);
    throw error;
  }
}

export function isEventStream({ headers }: AgentAnswer): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream');
}
