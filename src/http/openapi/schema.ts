import type { JsonObject } from '@parley/protocol/model/json.js';

/** A schema of the document: JSON Schema 2020-12, as in OpenAPI 3.1. */
export type Schema = JsonObject;

/** A reference to a schema of the document. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** JSON content with a schema. */
export function jsonContent(schema: Schema, ...types: readonly string[]): JsonObject {
  return Object.fromEntries(['application/json', ...types].map((type) => [type, { schema }]));
}

/** A response with JSON content. */
export function jsonResponse(description: string, schema: Schema): JsonObject {
  return { description, content: jsonContent(schema) };
}

/** The responses of a refused or failed call. */
export function refusals(schema: Schema): JsonObject {
  return {
    400: jsonResponse('The request is wrong.', schema),
    default: jsonResponse('The call was refused or has failed.', schema),
  };
}

/** A schema without its dialect, which the document names once. */
export function inDocument({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema;
}
