import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Json, JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName, ResultOf, UnaryOperation } from '@parley/protocol/model/operations.js';
import type { RestVersion } from '@parley/protocol/versions/rest-dialect.js';
import { decodeRestV03, encodeRestEventV03, encodeRestV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { type FileForm, fileFormOf } from '@parley/protocol/v0_3/rest/file-form.js';
import { decodeRestV1, type RestCall } from './v1-params.js';

/** One protocol version on HTTP+JSON. `rest-faults.ts` writes its errors, since it gets all faults. */
export interface RestDialect {
  readonly version: RestVersion;
  /** v1 params, not yet validated. Throws `A2AError` for a call that contradicts itself. */
  decode(operation: OperationName, call: RestCall): JsonObject;
  /** The JSON text of a unary answer. */
  encode<O extends UnaryOperation>(operation: O, result: Json<ResultOf<O>>): string;
  /** The JSON text of one event of a stream. */
  encodeEvent(event: Json<StreamResponse>): string;
}

const DIALECT_V1: RestDialect = {
  version: '1.0',
  decode: decodeRestV1,
  encode: (_operation, { text }) => text,
  encodeEvent: ({ text }) => text,
};

const dialectV03 = (files: FileForm): RestDialect => ({
  version: '0.3',
  decode: (operation, { path: { taskId, configId }, query, body }) =>
    decodeRestV03(operation, { taskId, configId, query, body, files }),
  encode: (operation, { value }) => encodeRestV03(operation, value, files),
  encodeEvent: ({ value }) => encodeRestEventV03(value, files),
});

const DIALECTS_V03: Readonly<Record<FileForm, RestDialect>> = {
  bytes: dialectV03('bytes'),
  'base64-text': dialectV03('base64-text'),
};

/** The dialect of a caller, in a version that has an HTTP+JSON binding. */
export function restDialectOf(version: RestVersion, userAgent: string | undefined): RestDialect {
  return version === '1.0' ? DIALECT_V1 : DIALECTS_V03[fileFormOf(userAgent)];
}
