import type { A2AError } from '../protocol/errors.js';
import type { Json } from '../protocol/json.js';
import type { OperationName, ParamsOf, ResultOf } from '../protocol/operations.js';

/** The published protocol versions that are served, as `Major.Minor`. */
export type ProtocolVersion = '1.0' | '0.3' | '0.2' | '0.1';

/** A JSON-RPC error object as a dialect writes it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What only the encoder of one call needs to know: how the call came in. */
export interface EncodeContext {
  /** The dialect's own method name of the call, for dialects whose answers differ by it. */
  readonly method: string;
}

/**
 * One protocol version on JSON-RPC: pure translation between its JSON and the v1 model. A codec knows no transport, no
 * store and no rule; taking its row out of `codecs.ts` and deleting its folder removes the version.
 */
export interface WireCodec {
  readonly version: ProtocolVersion;
  /** The operation behind a method name; undefined when this version has no such method (→ MethodNotFound). */
  operationOf(method: string): OperationName | undefined;
  /** Translates the version's params to v1 params, not yet validated. Throws `A2AError` InvalidParams where it cannot. */
  decodeParams(operation: OperationName, params: unknown, context: EncodeContext): unknown;
  /** The `result` member of a unary answer, as JSON text. */
  encodeResult<O extends OperationName>(operation: O, result: Json<ResultOf<O>>, context: EncodeContext): string;
  /**
   * The `result` members of one streamed event, as JSON texts: usually one, none where the version has no such event,
   * several where one event becomes more.
   */
  encodeEvent<O extends OperationName>(operation: O, event: Json<ResultOf<O>>, context: EncodeContext): readonly string[];
  encodeError(error: A2AError): RpcError;
}

export type DecodedParams<O extends OperationName> = ParamsOf<O>;
