import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';

/** The schema of a question to which any text is an answer. */
export const ANY_ANSWER: JsonObject = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
};

/** Members of a form; a person fills in no more. */
const MAX_MEMBERS = 64;

/** The keywords of each primitive that clients read (`PrimitiveSchemaDefinition`). */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'enumNames', 'oneOf', 'minLength', 'maxLength', 'format', 'default'],
  number: ['minimum', 'maximum', 'default'],
  integer: ['minimum', 'maximum', 'default'],
  boolean: ['default'],
};
const COMMON = ['type', 'title', 'description'];

/**
 * The subset of a schema that clients can show as a form: an object of primitives. Undefined where some member is none:
 * the question is then asked in words. Keywords that clients do not know are left out; the skill checks the answer itself.
 */
export function flatSchema({ properties, required }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(properties)) return undefined;
  const members = Object.entries(properties).map(([name, schema]) => [name, primitive(schema)] as const);
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined;
  if (members.some(([, schema]) => schema === undefined)) return undefined;
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

function primitive(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema.type === 'array') return choices(schema);
  const [type = Array.isArray(schema.enum) ? 'string' : '', ...others] = typesOf(schema.type);
  if (others.length > 0) return undefined;
  const own = KEYWORDS[type];
  if (own === undefined) return undefined;
  const kept = [...COMMON, ...own].filter((keyword) => schema[keyword] !== undefined);
  return { ...Object.fromEntries(kept.map((keyword) => [keyword, schema[keyword]])), type };
}

/** A member of a form is filled in or absent, and never null. */
function typesOf(type: unknown): readonly string[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((one) => typeof one === 'string' && one !== 'null') as readonly string[];
}

/** Several of a list of texts: the one kind of array that a form has. */
function choices(schema: JsonObject): JsonObject | undefined {
  const { items } = schema;
  if (!isJsonObject(items) || !(Array.isArray(items.enum) || Array.isArray(items.anyOf))) return undefined;
  const kept = ['type', 'title', 'description', 'items', 'minItems', 'maxItems', 'default'];
  return Object.fromEntries(kept.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));
}

/** Whether the content of an accepted form fits its schema: as a form can be filled in, and no more. */
export function fitsForm(schema: JsonObject, content: unknown): content is JsonObject {
  if (!isJsonObject(content)) return false;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (required.some((name: unknown) => typeof name !== 'string' || content[name] === undefined)) return false;
  return Object.entries(properties).every(([name, member]) => {
    const value = content[name];
    return value === undefined || (isJsonObject(member) && fitsPrimitive(member, value));
  });
}

function fitsPrimitive(schema: JsonObject, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && fitsText(schema, value);
    case 'integer':
      return Number.isInteger(value) && fitsRange(schema, Number(value));
    case 'number':
      return typeof value === 'number' && fitsRange(schema, value);
    case 'array':
      return Array.isArray(value) && fitsChoices(schema, value);
    default:
      return typeof value === 'boolean';
  }
}

function fitsChoices({ items, minItems, maxItems }: JsonObject, values: readonly unknown[]): boolean {
  const { enum: listed, anyOf } = isJsonObject(items) ? items : {};
  const known = Array.isArray(listed) ? (listed as readonly unknown[]) : (constantsOf(anyOf) ?? []);
  if (!values.every((value) => known.includes(value))) return false;
  return !(Number(minItems) > values.length) && !(Number(maxItems) < values.length);
}

function fitsText({ enum: listed, oneOf, minLength, maxLength }: JsonObject, value: string): boolean {
  const choices = Array.isArray(listed) ? (listed as readonly unknown[]) : constantsOf(oneOf);
  if (choices !== undefined && !choices.includes(value)) return false;
  return !(Number(minLength) > value.length) && !(Number(maxLength) < value.length);
}

function constantsOf(oneOf: unknown): readonly unknown[] | undefined {
  return Array.isArray(oneOf) ? oneOf.map((one: unknown) => (isJsonObject(one) ? one.const : undefined)) : undefined;
}

function fitsRange({ minimum, maximum }: JsonObject, value: number): boolean {
  return !(Number(minimum) > value) && !(Number(maximum) < value);
}
