import type { JsonObject } from '../model/json.js';
import { type JsonName, MAX_NAME_LENGTH, nameOf } from '../json/json-name.js';
import { isJsonObject } from '../json/json-value.js';
import { badParams, badRequest, type McpErrorAnswer } from './mcp-fault.js';

/** The JSON text of the id of a request, as it is echoed: a string or a number, never null. */
export type McpRequestId = JsonName;

/** A JSON-RPC message that a client may send. */
export type McpMessage =
  | {
      readonly kind: 'request';
      readonly id: McpRequestId;
      readonly method: string;
      readonly params: JsonObject;
      /** The name that notifications of progress get; absent where the client wants none. */
      readonly progressToken?: JsonName;
    }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly params: JsonObject;
      /** The request that it cancels. */
      readonly requestId?: McpRequestId;
    }
  | { readonly kind: 'response'; readonly id: McpRequestId; readonly result: JsonObject | undefined };

const MAX_METHOD_LENGTH = 128;

/** Reads a body. @param json from which it was parsed. @throws McpFault for batches and for values that are no message */
export function readMcpMessage(body: unknown, json: Buffer): McpMessage {
  if (Array.isArray(body)) throw badRequest('Batches are not supported: send one message per POST');
  if (!isJsonObject(body) || body.jsonrpc !== '2.0') throw badRequest('The body must be a JSON-RPC 2.0 message');
  const id = readId(body, json);
  const { method, params = {} } = body;
  if (method === undefined && id !== undefined) return { kind: 'response', id, result: resultOf(body) };
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD_LENGTH) {
    throw badRequest(`"method" must be a text of 1 to ${String(MAX_METHOD_LENGTH)} characters`);
  }
  if (!isJsonObject(params)) throw badRequest('"params" must be an object');
  return id === undefined
    ? { kind: 'notification', method, params, ...canceledIn(params, json) }
    : { kind: 'request', id, method, params, ...progressTokenIn(params, json) };
}

/** The id of a body that may not be a message, for its error. */
export function idIn(body: unknown, json: Buffer): McpRequestId | undefined {
  return isJsonObject(body) ? nameOf(body.id, json, ['id']) : undefined;
}

/** The `_meta` of params; empty where there is none. */
export function metaOf({ _meta }: JsonObject): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}

function readId(body: JsonObject, json: Buffer): McpRequestId | undefined {
  const id = idIn(body, json);
  if (id === undefined && body.id !== undefined) throw badRequest(`"id" must be ${A_NAME}`);
  return id;
}

const A_NAME = `a text or a number of at most ${String(MAX_NAME_LENGTH)} characters`;

function progressTokenIn(params: JsonObject, json: Buffer): { readonly progressToken?: JsonName } {
  const { progressToken: value } = metaOf(params);
  if (value === undefined || value === null) return {};
  const progressToken = nameOf(value, json, ['params', '_meta', 'progressToken']);
  if (progressToken === undefined) throw badParams(`_meta.progressToken must be ${A_NAME}`);
  return { progressToken };
}

function canceledIn({ requestId: value }: JsonObject, json: Buffer): { readonly requestId?: McpRequestId } {
  const requestId = nameOf(value, json, ['params', 'requestId']);
  return requestId === undefined ? {} : { requestId };
}

function resultOf({ result }: JsonObject): JsonObject | undefined {
  return isJsonObject(result) ? result : undefined;
}

/** The text of an error response; without an id where none could be read. */
export function mcpErrorText(id: McpRequestId | undefined, error: McpErrorAnswer['error']): string {
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${id},`}"error":${JSON.stringify(error)}}`;
}

/** The text of a result; `resultText` is inserted unchanged. */
export function mcpResultText(id: McpRequestId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultText}}`;
}

/** The text of a notification. @param params its JSON text */
export function mcpNotificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`;
}
