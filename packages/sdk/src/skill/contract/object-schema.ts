import type { JsonObject } from '@parley/protocol/model/json.js';

/** The JSON Schema of an object: of a class, or of a tool or skill of another service. */
export interface ObjectSchema extends JsonObject {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}

/** A JSON Schema from elsewhere as a contract; undefined where it is none of an object. */
export function objectSchemaOf(schema: unknown): ObjectSchema | undefined {
  if (!isObject(schema) || schema.type !== 'object') return undefined;
  const { properties = {}, required, ...rest } = schema;
  if (!isObject(properties)) return undefined;
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, isObject(one) ? one : {}])),
    ...(Array.isArray(required) ? { required: required.filter((name) => typeof name === 'string') } : {}),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
