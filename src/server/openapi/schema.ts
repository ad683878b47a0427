import type { JsonObject } from '@parley/protocol/model/json.js';

/** A schema of the document: JSON Schema 2020-12, as OpenAPI 3.1 has it. */
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

/** The responses of a call that was refused or has failed. */
export function refusals(schema: Schema): JsonObject {
  return {
    400: jsonResponse('The request is wrong.', schema),
    default: jsonResponse('The call was refused or has failed.', schema),
  };
}

/** A schema without the dialect that it names: the document names it once. */
export function inDocument({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema;
}
