import type { JsonObject } from '@parley/protocol/model/json.js';

/** Prefix of simulated texts, so that they cannot be mistaken for results. */
export const DEBUG_MARK = '[DEBUG]';

/** The members of a JSON Schema from which an example follows. */
interface Schema {
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Items of a list that are written out, where a schema wants more: no contract makes an answer large. */
const MAX_ITEMS = 100;

/**
 * A value that fits a JSON Schema, as far as its types, bounds, formats and named values say: the first example, default or named value
 * where it has one. A `pattern` is ignored: give such a member an example.
 * @param name of the member, for its text
 */
export function exampleOf(schema: JsonObject, name = 'The answer'): unknown {
  return exampleFor(schema, name);
}

function exampleFor(schema: Schema, name: string): unknown {
  const { examples, oneOf, anyOf, allOf } = schema;
  const given = [schema.const, schema.example, examples?.[0], schema.default, schema.enum?.[0]];
  const chosen = given.find((value) => value !== undefined);
  if (chosen !== undefined) return chosen;
  const [first] = oneOf ?? anyOf ?? [];
  if (first !== undefined) return exampleFor(first, name);
  if (allOf !== undefined) return exampleFor(merged([schema, ...allOf]), name);
  return typedExample(schema, name);
}

function typedExample(schema: Schema, name: string): unknown {
  const { type = schema.properties === undefined ? 'string' : 'object' } = schema;
  switch (typeof type === 'string' ? type : type.find((one) => one !== 'null')) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {});
      return Object.fromEntries(members.map(([member, its]) => [member, exampleFor(its, member)]));
    }
    case 'array': {
      const length = Math.min(MAX_ITEMS, Math.max(1, schema.minItems ?? 1));
      return Array.from({ length }, () => exampleFor(schema.items ?? {}, name));
    }
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
    case undefined:
    default:
      return textFor(schema, name);
  }
}

function merged(schemas: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...schemas.map((one) => one.properties)) as Record<string, Schema>;
  const all = Object.assign({}, ...schemas) as Schema;
  const { allOf: _merged, ...rest } = all;
  return Object.keys(properties).length === 0 ? rest : { ...rest, properties };
}

function numberFor({ minimum, exclusiveMinimum, maximum }: Schema): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1);
  return Math.max(least, Math.min(0, maximum ?? 0));
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  time: '00:00:00Z',
  email: 'debug@example.com',
  uri: 'https://example.com/debug',
  url: 'https://example.com/debug',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  hostname: 'debug.example.com',
};

function textFor({ format, minLength = 0, maxLength = Infinity }: Schema, name: string): string {
  const known = format === undefined ? undefined : BY_FORMAT[format];
  if (known !== undefined) return known;
  const text = `${DEBUG_MARK} ${name} would be here.`.padEnd(minLength, '.');
  return text.length <= maxLength ? text : text.slice(0, maxLength);
}
