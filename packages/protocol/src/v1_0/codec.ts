import type { A2AError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import { isOperationName, OPERATION_NAMES, type OperationName } from '../model/operations.js';
import type { RpcError, WireCall, WireCodec } from '../codec/codec.js';
import { normaliseMessage } from './proto-json.js';
import { REQUEST_SHAPES } from './proto-shapes.js';
import { refuseOlderMessage } from './older-message.js';
import { withoutRcAliases } from './rc-aliases.js';
import { rpcErrorV1 } from './rpc-errors.js';

/**
 * A2A 1.0 on JSON-RPC. The model inside is 1.0 itself, so stored text is sent unchanged and never parsed for it.
 */
export const codecV1: WireCodec = {
  version: '1.0',
  methods: OPERATION_NAMES,

  /** Method names are operation names (A2A 1.0 §9.4). */
  operationOf(method: string): OperationName | undefined {
    return isOperationName(method) ? method : undefined;
  },

  decodeParams(operation: OperationName, call: WireCall): unknown {
    return decodeParamsV1(operation, call.params);
  },

  legacyTerms: () => undefined,

  encodeResult(_operation: OperationName, result: Json<unknown>): string {
    return result.text;
  },

  streamEncoder() {
    return (event) => [event.text];
  },

  encodeError(error: A2AError): RpcError {
    return rpcErrorV1(error);
  },
};

/**
 * Normalised v1 params of an operation, also for the HTTP+JSON binding; absent params are an empty object (§9.4.8).
 * Throws `A2AError` InvalidParams for a message of an older version.
 */
export function decodeParamsV1(operation: OperationName, params: unknown): unknown {
  refuseOlderMessage(params);
  return normaliseMessage(REQUEST_SHAPES[operation], withoutRcAliases(operation, params ?? {}));
}
