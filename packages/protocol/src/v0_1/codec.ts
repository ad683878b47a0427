import type { A2AError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { LegacyTerms } from '../model/legacy.js';
import type { OperationName, ResultOf, UnaryOperation } from '../model/operations.js';
import type { RpcError, WireCall, WireCodec } from '../codec/codec.js';
import { isJsonObject, member } from '../json/json-value.js';
import { legacyRpcError } from '../legacy/rpc-error.js';
import { clientTaskId, statedTaskId } from './client-task-id.js';
import { DECODERS_V01 } from './decode.js';
import { ENCODERS_V01 } from './encode.js';
import { METHODS_V01, operationOfV01 } from './methods.js';
import { rpcCodeV01 } from './rpc-errors.js';
import { streamEncoderV01 } from './stream.js';
import { statedId } from './translate/message.js';

/** A2A 0.1 (`tasks/send`) on JSON-RPC. Its clients make the task ids, so all answers speak of the task by theirs. */
export const codecV01: WireCodec = {
  version: '0.1',
  methods: METHODS_V01,
  operationOf: operationOfV01,

  decodeParams(operation: OperationName, { params }: WireCall): unknown {
    return DECODERS_V01[operation](isJsonObject(params) ? params : {}, clientTaskId(params));
  },

  legacyTerms(operation: OperationName, { params }: WireCall): LegacyTerms {
    const waits = operation === 'SendMessage' ? ({ waitsBriefly: true } as const) : {};
    const message = isJsonObject(params) ? member(params, 'message') : undefined;
    const isUnnamed = isJsonObject(message) && statedId(message) === undefined;
    return { clientTaskId: clientTaskId(params), ...waits, ...(isUnnamed ? { isUnnamed } : {}) };
  },

  encodeResult<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>, { params }: WireCall): string {
    const asked = { id: statedTaskId(params), withHistory: wantsHistory(params) };
    return JSON.stringify(ENCODERS_V01[operation](result.value, asked));
  },

  streamEncoder: (_operation, call) => streamEncoderV01(call),

  encodeError(error: A2AError, call?: WireCall): RpcError {
    return legacyRpcError(error, rpcCodeV01(error, call), namedByClient(error.metadata, call));
  },
};

/** A call of 0.1 is about one task, which its client knows by its own id only. */
function namedByClient({ taskId, ...rest }: A2AError['metadata'], call?: WireCall): A2AError['metadata'] {
  const stated = statedTaskId(call?.params);
  return taskId === undefined || stated === '' ? rest : { ...rest, taskId: stated };
}

function wantsHistory(params: unknown): boolean {
  const length = isJsonObject(params) ? member(params, 'historyLength') : undefined;
  return typeof length === 'number' && length > 0;
}
