import { plainToInstance } from 'class-transformer';
import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../../protocol/json.js';
import type { Contract, DtoClass } from '../skill.js';
import type { ObjectSchema } from './object-schema.js';

const CACHE = new WeakMap<DtoClass, ObjectSchema>();

/**
 * The JSON Schema (2020-12) of a DTO class: its class-validator decorators, `@JSONSchema` for descriptions, and initial
 * values as defaults. Nested classes are written out in place, because two skills may use one name for two classes. A contract
 * that is a schema is itself.
 */
export function jsonSchemaOf(dto: Contract): ObjectSchema {
  if (typeof dto !== 'function') return dto;
  const known = CACHE.get(dto);
  if (known !== undefined) {
    return known;
  }
  const schema: ObjectSchema = { ...schemaOf(dto, []), $schema: 'https://json-schema.org/draft/2020-12/schema' };
  CACHE.set(dto, schema);
  return schema;
}

/** The names of the members that a contract declares. */
export function membersOf(dto: Contract): readonly string[] {
  return Object.keys(jsonSchemaOf(dto).properties);
}

function schemaOf(dto: DtoClass, within: readonly DtoClass[]): ObjectSchema {
  const {
    properties = {},
    required = [],
    ...rest
  } = targetConstructorToSchema(dto, {
    additionalConverters: {
      [ValidationTypes.NESTED_VALIDATION]: ({ propertyName }) => nestedSchema(dto, propertyName, within),
    },
  });
  const defaults = { ...plainToInstance(dto, {}, { exposeDefaultValues: true }) } as Readonly<Record<string, unknown>>;
  const needed = required.filter((name) => defaults[name] === undefined);
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        defaults[name] === undefined ? { ...schema } : { ...schema, default: defaults[name] },
      ]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
}

/** A class that holds itself, directly or not, is written out once; further down it is any object. */
function nestedSchema(dto: DtoClass, member: string, within: readonly DtoClass[]): JsonObject {
  const nested = nestedClassOf(dto, member);
  return nested === undefined || [dto, ...within].includes(nested)
    ? { type: 'object' }
    : schemaOf(nested, [dto, ...within]);
}

/** The class that class-transformer makes for a member: tried out, since `@Type` has no public way to be asked. */
function nestedClassOf(dto: DtoClass, member: string): DtoClass | undefined {
  const probe: unknown = Reflect.get(plainToInstance(dto, { [member]: {} }), member);
  return typeof probe === 'object' && probe !== null && probe.constructor !== Object
    ? (probe.constructor as DtoClass)
    : undefined;
}
