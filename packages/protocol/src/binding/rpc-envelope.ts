import { A2AError } from '../model/errors.js';
import type { RpcError } from '../codec/codec.js';
import { type JsonName, MAX_NAME_LENGTH, nameOf } from '../json/json-name.js';
import { isJsonObject } from '../json/json-value.js';

/** The JSON text of the id of a request, as it is echoed. */
export type RpcId = JsonName;

/** The id of a request whose id is null, absent, or could not be read. */
export const NULL_ID: RpcId = 'null';

/** A well-formed JSON-RPC request. */
export interface RpcRequest {
  readonly id: RpcId;
  /** False for a notification. A2A has none: 1.0 refuses it (`missingId`), older dialects answer with id null (A2A-RPC-10). */
  readonly hasId: boolean;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/** A request that is not one: the error to answer with, and the id to echo. */
export interface RpcFault {
  readonly id: RpcId;
  readonly error: A2AError;
}

const MAX_METHOD_LENGTH = 64;

/** Reads a body as a JSON-RPC 2.0 request (A2A-RPC-02, -04, -10, -11). @param json from which the body was parsed */
export function readRpcRequest(body: unknown, json: Buffer): RpcRequest | RpcFault {
  if (Array.isArray(body)) return fault(NULL_ID, 'Batch requests are not supported: send one request object per call');
  if (!isJsonObject(body)) return fault(NULL_ID, 'The request must be a JSON object');
  const id = body.id === undefined || body.id === null ? NULL_ID : nameOf(body.id, json, ['id']);
  if (id === undefined) {
    return fault(
      NULL_ID,
      `"id" must be a string or a number of at most ${String(MAX_NAME_LENGTH)} characters, or null`,
    );
  }
  if (body.jsonrpc !== '2.0') return fault(id, '"jsonrpc" must be "2.0"');
  const { method, params } = body;
  if (typeof method !== 'string' || method === '') return fault(id, '"method" must be a non-empty string');
  if (method.length > MAX_METHOD_LENGTH) {
    return fault(id, `"method" must have at most ${String(MAX_METHOD_LENGTH)} characters`);
  }
  if (params !== undefined && params !== null && !isJsonObject(params)) return fault(id, '"params" must be an object');
  return { id, hasId: body.id !== undefined, method, params: params ?? undefined };
}

/** The refusal of a request without id, for versions that refuse it (A2A-RPC-10). */
export function missingId(): A2AError {
  return new A2AError('InvalidRequest', '"id" is required: notifications are not supported');
}

/** The text of a JSON-RPC success; `resultText` is inserted unchanged. */
export function rpcResultText(id: RpcId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultText}}`;
}

/** The text of a JSON-RPC error. */
export function rpcErrorText(id: RpcId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

function fault(id: RpcId, message: string): RpcFault {
  return { id, error: new A2AError('InvalidRequest', message) };
}
