import type { JsonObject } from '../../protocol/json.js';
import { isJsonObject } from '../json-value.js';
import { badRequest, type McpErrorAnswer } from './mcp-fault.js';

/** The id of a request: a string or an integer, never null; it is echoed with its type. */
export type McpRequestId = string | number;

/** A JSON-RPC message that a client may send. */
export type McpMessage =
  | { readonly kind: 'request'; readonly id: McpRequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: McpRequestId; readonly result: JsonObject | undefined };

const MAX_ID_LENGTH = 256;
const MAX_METHOD_LENGTH = 128;

/** Reads a parsed body. @throws McpFault for batches and for what is no message */
export function readMcpMessage(body: unknown): McpMessage {
  if (Array.isArray(body)) throw badRequest('Batches are not supported: send one message per POST');
  if (!isJsonObject(body) || body.jsonrpc !== '2.0') throw badRequest('The body must be a JSON-RPC 2.0 message');
  const id = readId(body.id);
  const { method, params = {} } = body;
  if (method === undefined && id !== undefined) return { kind: 'response', id, result: resultOf(body) };
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD_LENGTH) {
    throw badRequest(`"method" must be a text of 1 to ${String(MAX_METHOD_LENGTH)} characters`);
  }
  if (!isJsonObject(params)) throw badRequest('"params" must be an object');
  return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
}

/** The id of a body that may not be a message, for its error. */
export function idIn(body: unknown): McpRequestId | undefined {
  if (!isJsonObject(body)) return undefined;
  const { id } = body;
  return isId(id) ? id : undefined;
}

/** The `_meta` of params; empty where there is none. */
export function metaOf({ _meta }: JsonObject): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}

function readId(id: unknown): McpRequestId | undefined {
  if (id === undefined) return undefined;
  if (!isId(id)) throw badRequest(`"id" must be an integer or a text of at most ${String(MAX_ID_LENGTH)} characters`);
  return id;
}

function isId(id: unknown): id is McpRequestId {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

function resultOf({ result }: JsonObject): JsonObject | undefined {
  return isJsonObject(result) ? result : undefined;
}

/** The text of an error response; without an id where none could be read. */
export function mcpErrorText(id: McpRequestId | undefined, error: McpErrorAnswer['error']): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error });
}

/** The text of a result; `resultText` is inserted unchanged. */
export function mcpResultText(id: McpRequestId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;
}
