import type { A2AErrorName } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { OperationName, ResultOf, UnaryOperation } from '../model/operations.js';
import type { ProtocolVersion } from '../model/protocol-version.js';
import type { WireCall, WireCodec } from '../codec/codec.js';
import { isJsonObject } from '../json/json-value.js';
import { legacyRpcError } from '../legacy/rpc-error.js';
import { DECODERS_V03 } from './decode.js';
import { ENCODERS_V03 } from './encode.js';
import { METHODS_V03, operationOfV03 } from './methods.js';
import { RPC_CODES_V02, RPC_CODES_V03 } from './rpc-errors.js';
import { eventToV03 } from './translate/event.js';

/** A2A 0.3 on JSON-RPC. */
export const codecV03: WireCodec = createCodec('0.3', RPC_CODES_V03);

/** A2A 0.2.0 – 0.2.6 on JSON-RPC: 0.3 with fewer error codes; 0.3's decoder accepts the other forms of 0.2 (V02-01). */
export const codecV02: WireCodec = createCodec('0.2', RPC_CODES_V02);

function createCodec(version: ProtocolVersion, codes: Readonly<Record<A2AErrorName, number>>): WireCodec {
  return {
    version,
    methods: METHODS_V03,
    operationOf: operationOfV03,
    decodeParams(operation: OperationName, { params }: WireCall): unknown {
      return DECODERS_V03[operation](isJsonObject(params) ? params : {});
    },
    encodeResult<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>, call: WireCall): string {
      return JSON.stringify(ENCODERS_V03[operation](result.value, call));
    },
    streamEncoder() {
      return (event) => [JSON.stringify(eventToV03(event.value))];
    },
    legacyTerms: () => undefined,
    encodeError: (error) => legacyRpcError(error, codes[error.kind]),
  };
}
