import type { A2AError } from '../../protocol/errors.js';
import type { Json } from '../../protocol/json.js';
import { isOperationName, type OperationName } from '../../protocol/operations.js';
import type { RpcError, WireCall, WireCodec } from '../codec.js';
import { normaliseMessage } from './proto-json.js';
import { REQUEST_SHAPES } from './proto-shapes.js';
import { withoutRcAliases } from './rc-aliases.js';
import { rpcErrorV1 } from './rpc-errors.js';

/**
 * A2A 1.0 on JSON-RPC. The model inside is 1.0 itself, so stored text goes out as it is and is never parsed for it.
 */
export const codecV1: WireCodec = {
  version: '1.0',

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

/** Normalised v1 params of an operation, also for the HTTP+JSON binding; absent params are an empty object (§9.4.8). */
export function decodeParamsV1(operation: OperationName, params: unknown): unknown {
  const present = withoutRcAliases(operation, params ?? {});
  const normalised = normaliseMessage(REQUEST_SHAPES[operation], present);
  return operation === 'ListTasks' ? withoutUnspecifiedStatus(normalised) : normalised;
}

/** `TASK_STATE_UNSPECIFIED` is no filter (A2A-LIST-10). */
function withoutUnspecifiedStatus(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('status' in params)) return params;
  const { status, ...rest } = params;
  return status === 'TASK_STATE_UNSPECIFIED' || status === '' ? rest : params;
}
