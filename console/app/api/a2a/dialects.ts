import type { JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName, ParamsOf } from '@parley/protocol/model/operations.js';
import { clientCodecV03 } from '@parley/protocol/v0_3/client-codec.js';
import { clientCodecV1 } from '@parley/protocol/v1_0/client-codec.js';
import { restCallV1 } from '@parley/protocol/v1_0/rest-call.js';
import type { Dialect, RpcAnswer, WireRequest } from './wire-request.js';

/** The request of an operation in a version and binding. */
export function requestOf(dialect: Dialect, operation: OperationName, params: unknown): WireRequest {
  const codec = codecOf(dialect);
  // The codecs check nothing: the form's content is sent unchanged, so that the service reports its faults.
  const encoded = codec.encodeCall(operation, params as ParamsOf<OperationName>);
  const headers = { 'a2a-version': codec.version };
  if (dialect === 'rest') {
    const { path, method, body } = restCallV1(operation, encoded.params);
    return { path, method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  }
  const call = { jsonrpc: '2.0', id: crypto.randomUUID().slice(0, 8), method: encoded.method, params: encoded.params };
  return { path: '/', method: 'POST', headers, body: JSON.stringify(call) };
}

/** An answer in the shape of 1.0 and JSON-RPC. @param isEvent of a stream */
export function answerOf(dialect: Dialect, operation: OperationName, text: string, isEvent: boolean): RpcAnswer {
  const { result, error } = (
    dialect === 'rest' ? { result: JSON.parse(text) as JsonObject } : JSON.parse(text)
  ) as RpcAnswer;
  if (error !== undefined) return { error };
  const codec = codecOf(dialect);
  return { result: isEvent ? codec.decodeEvent(result) : codec.decodeResult(operation, result) };
}

function codecOf(dialect: Dialect): typeof clientCodecV1 {
  return dialect === 'old' ? clientCodecV03 : clientCodecV1;
}
