import type { JsonObject } from '../model/json.js';
import type { OperationName, ParamsOf } from '../model/operations.js';
import type { ProtocolVersion } from '../model/protocol-version.js';
import type { WireCall } from './codec.js';

/** A JSON-RPC call without its envelope. */
export type ClientCall = WireCall & { readonly params: JsonObject };

/** One protocol version as its caller speaks it: the reverse of `WireCodec`. Pure translation between JSON and the v1 model. */
export interface ClientCodec {
  readonly version: ProtocolVersion;
  /** The JSON-RPC call of an operation. Throws `A2AError` UnsupportedOperation for an operation that the version lacks. */
  encodeCall<O extends OperationName>(operation: O, params: ParamsOf<O>): ClientCall;
  /** A result in the shape of v1, not validated: `read-remote.ts` does that. */
  decodeResult(operation: OperationName, result: unknown): unknown;
  /** An event of a stream in the shape of v1, not validated. */
  decodeEvent(event: unknown): unknown;
}
