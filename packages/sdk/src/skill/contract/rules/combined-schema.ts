import type { JsonObject } from '@parley/protocol/model/json.js';

/** How two values of a keyword become one that asks for both; undefined: no single value does. */
type Join = (one: never, other: never) => unknown;

const larger: Join = (one: number, other: number) => Math.max(one, other);
const smaller: Join = (one: number, other: number) => Math.min(one, other);

const JOINS: Readonly<Record<string, Join>> = {
  type: joinedTypes,
  enum: (one: readonly unknown[], other: readonly unknown[]) => {
    const both = one.filter((value) => other.includes(value));
    return both.length === 0 ? undefined : both;
  },
  examples: (one: readonly unknown[], other: readonly unknown[]) => [...one, ...other],
  items: (one: JsonObject, other: JsonObject) => combined([one, other]),
  ...{ minimum: larger, exclusiveMinimum: larger, minLength: larger, minItems: larger, minProperties: larger },
  ...{ maximum: smaller, exclusiveMaximum: smaller, maxLength: smaller, maxItems: smaller },
};

/** One schema for values that fit all of several. */
export function combined(schemas: readonly JsonObject[]): JsonObject {
  const whole: Record<string, unknown> = {};
  const apart: JsonObject[] = [];
  for (const [keyword, value] of schemas.flatMap((schema) => Object.entries(schema))) {
    const own = whole[keyword];
    const joined = own === undefined || isSame(own, value) ? value : joinedValue(keyword, own, value);
    if (keyword === 'allOf') apart.push(...(value as readonly JsonObject[]));
    else if (joined === undefined) apart.push({ [keyword]: value });
    else whole[keyword] = joined;
  }
  return apart.length === 0 ? whole : { ...whole, allOf: apart };
}

/** The same schema, to which null fits too. */
export function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  // These keywords judge null as well.
  const isOpen = ['const', 'not', 'allOf', 'anyOf', 'oneOf'].every((keyword) => schema[keyword] === undefined);
  if (!isOpen) return { anyOf: [schema, { type: 'null' }] };
  const listed = Array.isArray(values) ? { enum: [...(values as readonly unknown[]).filter(isPresent), null] } : {};
  return type === undefined ? { ...schema, ...listed } : { ...schema, type: [...listOf(type), 'null'], ...listed };
}

/**
 * The usual form of a schema of a class: without null for optional members, and without values that only a condition or
 * a transformation lets pass. For forms and queries, whose members are filled in or absent.
 */
export function formOf<T extends JsonObject>(schema: T): T {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
      if (keyword === 'type') return [[keyword, single(listOf(value).filter((type) => type !== 'null'))]];
      if (keyword === 'enum') return [[keyword, listOf(value).filter((one) => one !== null)]];
      if (keyword === 'properties') {
        const members = Object.entries(value as Readonly<Record<string, JsonObject>>);
        return [[keyword, Object.fromEntries(members.map(([name, member]) => [name, formOf(member)]))]];
      }
      if (keyword === 'items') return [[keyword, formOf(value as JsonObject)]];
      const [form, none, ...more] = keyword === 'anyOf' ? (value as readonly JsonObject[]) : [];
      const isForm =
        more.length === 0 && ['{"type":"null"}', '{}'].includes(JSON.stringify(none)) && form !== undefined;
      return isForm ? Object.entries(formOf(form)) : [[keyword, value]];
    }),
  ) as T;
}

function joinedValue(keyword: string, one: unknown, other: unknown): unknown {
  return JOINS[keyword]?.(one as never, other as never);
}

function joinedTypes(one: unknown, other: unknown): unknown {
  const [left, right] = [listOf(one), listOf(other)];
  const both = left.filter((type) => right.includes(type) || (type === 'integer' && right.includes('number')));
  const whole = right.includes('integer') && left.includes('number') ? [...both, 'integer'] : both;
  return whole.length === 0 ? undefined : single(whole);
}

function single(types: readonly unknown[]): unknown {
  return types.length === 1 ? types[0] : types;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isPresent(value: unknown): boolean {
  return value !== null;
}
