import type { StreamResponse } from '../../protocol/event.js';
import type { Json, JsonObject } from '../../protocol/json.js';
import type { OperationName, ResultOf, UnaryOperation } from '../../protocol/operations.js';
import type { RestVersion } from '../../wire/rest-dialect.js';
import { decodeRestV03, encodeRestEventV03, encodeRestV03 } from '../../wire/v0_3/rest/codec.js';
import { decodeRestV1, type RestCall } from './v1-params.js';

/** One protocol version on HTTP+JSON. Its errors are written by `http/fault-text.ts`, which sees all faults. */
export interface RestDialect {
  readonly version: RestVersion;
  /** v1 params, not yet validated. Throws `A2AError` where the call contradicts itself. */
  decode(operation: OperationName, call: RestCall): JsonObject;
  /** The JSON text of a unary answer. */
  encode<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>): string;
  /** The JSON text of one event of a stream. */
  encodeEvent(event: Json<StreamResponse>): string;
}

/** The versions that have an HTTP+JSON binding. */
export const REST_DIALECTS: Readonly<Record<RestVersion, RestDialect>> = {
  '1.0': {
    version: '1.0',
    decode: decodeRestV1,
    encode: (_operation, { text }) => text,
    encodeEvent: ({ text }) => text,
  },
  '0.3': {
    version: '0.3',
    decode: (operation, { path: { taskId, configId }, query, body }) =>
      decodeRestV03(operation, { taskId, configId, query, body }),
    encode: (operation, { value }) => encodeRestV03(operation, value),
    encodeEvent: ({ value }) => encodeRestEventV03(value),
  },
};
