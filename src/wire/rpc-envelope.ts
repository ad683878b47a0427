import { A2AError } from '../protocol/errors.js';
import type { RpcError } from './codec.js';
import { isJsonObject } from './json-value.js';

/** The id of a JSON-RPC request; `null` also represents an id that could not be read. */
export type RpcId = string | number | null;

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

const MAX_ID_LENGTH = 256;
const MAX_METHOD_LENGTH = 64;

/** Reads a parsed body as a JSON-RPC 2.0 request (A2A-RPC-02, -04, -10, -11). */
export function readRpcRequest(body: unknown): RpcRequest | RpcFault {
  if (Array.isArray(body)) return fault(null, 'Batch requests are not supported: send one request object per call');
  if (!isJsonObject(body)) return fault(null, 'The request must be a JSON object');
  const id = readId(body.id);
  if (id === undefined) {
    return fault(null, `"id" must be a string of at most ${String(MAX_ID_LENGTH)} characters, an integer or null`);
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
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;
}

/** The text of a JSON-RPC error. */
export function rpcErrorText(id: RpcId, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;
}

function readId(id: unknown): RpcId | undefined {
  if (id === undefined || id === null) return null;
  if (typeof id === 'string') return id.length <= MAX_ID_LENGTH ? id : undefined;
  return Number.isSafeInteger(id) ? Number(id) : undefined;
}

function fault(id: RpcId, message: string): RpcFault {
  return { id, error: new A2AError('InvalidRequest', message) };
}
