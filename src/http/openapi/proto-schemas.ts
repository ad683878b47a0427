import type { JsonObject } from '@parley/protocol/model/json.js';
import { A2A_V1 } from '@parley/protocol/proto/a2a-v1.js';
import { camelCase, parseField, type ProtoField } from '@parley/protocol/proto/proto-file.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import type { DtoClass } from '@parley/sdk/skill/skill.js';
import { refTo, type Schema } from './schema.js';

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  Struct: { type: 'object', additionalProperties: true },
  Value: {},
  Timestamp: { type: 'string', format: 'date-time' },
  Empty: { type: 'object' },
};

/** Constraints of a class on a member besides its type. */
const BOUNDS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'];

/**
 * The messages of A2A as schemas, from the proto, with the constraints of the classes that validate requests. A member
 * is required if the proto or such a class requires it.
 * @param checks the class of a message, by its name
 */
export function protoSchemas(checks: ReadonlyMap<string, DtoClass>): Readonly<Record<string, Schema>> {
  const enums = Object.entries(A2A_V1.enums ?? {}).map(
    ([name, [, ...values]]) => [name, { type: 'string', enum: values }] as const,
  );
  const messages = Object.entries(A2A_V1.messages)
    .filter(([name]) => !name.endsWith('Request') || checks.has(name))
    .map(([name, fields]) => [name, messageSchema(fields, checks.get(name))] as const);
  return Object.fromEntries([...enums, ...messages]);
}

function messageSchema(fields: Readonly<Record<string, string>>, check: DtoClass | undefined): Schema {
  const checked = check === undefined ? undefined : jsonSchemaOf(check);
  const members = Object.entries(fields).map(([name, text]) => {
    const field = parseField(text);
    return { member: field.jsonName ?? camelCase(name), field };
  });
  const properties = members.map(
    ({ member, field }) => [member, { ...fieldSchema(field), ...boundsOf(checked?.properties[member]) }] as const,
  );
  const required = members
    .filter(({ member, field }) => field.required || checked?.required?.includes(member))
    .map(({ member }) => member);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

function fieldSchema({ type, isMap, repeated }: ProtoField): Schema {
  const one = SCALARS[type] ?? refTo(type);
  if (isMap) return { type: 'object', additionalProperties: one };
  return repeated ? { type: 'array', items: one } : one;
}

function boundsOf(member: JsonObject | undefined): JsonObject {
  return Object.fromEntries(Object.entries(member ?? {}).filter(([name]) => BOUNDS.includes(name)));
}
