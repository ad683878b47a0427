import type { A2AError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { LegacyTerms } from '../model/legacy.js';
import type { OperationName, ResultOf, StreamingOperation, UnaryOperation } from '../model/operations.js';
import type { ProtocolVersion } from '../model/protocol-version.js';

export type { ProtocolVersion };

/** A JSON-RPC error object as a dialect writes it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One call as it came in. Encoders get it too: the answers of older dialects depend on how they were asked. */
export interface WireCall {
  /** The dialect's own method name. */
  readonly method: string;
  /** The params as parsed, in the dialect's own shape; undefined when the request had none. */
  readonly params: unknown;
}

/**
 * Turns the events of one stream into the `result` members of its answers, as JSON texts: usually one, none where the
 * version has no such event, several where one event becomes more. Stateful in some versions: one per stream, fed in
 * order.
 */
export type StreamEncoder = <O extends StreamingOperation>(event: Json<ResultOf<O>>) => readonly string[];

/**
 * One protocol version on JSON-RPC: pure translation between its JSON and the v1 model. A codec knows no transport, no
 * store and no rule; taking its row out of `codecs.ts` and deleting its folder removes the version.
 */
export interface WireCodec {
  readonly version: ProtocolVersion;
  /** The methods that this version has, for callers of one that it has not. */
  readonly methods: readonly string[];
  /**
   * The operation behind a method; undefined when this version has no such method (→ MethodNotFound). In older versions
   * the params decide too: a "set" of 0.1 without a value is a deletion.
   */
  operationOf(method: string, params?: unknown): OperationName | undefined;
  /** Translates the call's params to v1 params, not yet validated. Throws `A2AError` InvalidParams where it cannot. */
  decodeParams(operation: OperationName, call: WireCall): unknown;
  /** Requests of the call that have no v1 param; undefined for most. */
  legacyTerms(operation: OperationName, call: WireCall): LegacyTerms | undefined;
  /** The `result` member of a unary answer, as JSON text. Throws `A2AError` where the version answers so with an error. */
  encodeResult<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>, call: WireCall): string;
  /** The whole unary answer, where a call that was done may be answered with an error; absent: `encodeResult` says it. */
  encodeAnswer?<O extends UnaryOperation>(
    id: string | number | null,
    result: Json<ResultOf<O>>,
    call: WireCall,
  ): string;
  /** The encoder of one stream that answers `call`. */
  streamEncoder(operation: StreamingOperation, call: WireCall): StreamEncoder;
  /** The error object; with the call where it was read that far, since the codes of 0.1 depend on it. */
  encodeError(error: A2AError, call?: WireCall): RpcError;
}
