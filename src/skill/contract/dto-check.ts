import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { type BrokenMember, brokenMembers } from '../../platform/validation/broken-members.js';
import type { FieldViolation } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import { faultsOfValue, SchemaTooHard } from '../schema/check-value.js';
import type { Contract, DtoClass } from '../skill.js';
import { jsonSchemaOf } from './json-schema.js';
import type { ObjectSchema } from './object-schema.js';

/** A value of a class, or why JSON does not make one. */
export type Checked<T> =
  | { readonly kind: 'fits'; readonly value: T }
  | { readonly kind: 'violations'; readonly violations: readonly FieldViolation[] };

/** Checks JSON by a contract: an instance of its class, or the JSON itself where the contract is a schema. */
export async function checkContract(contract: Contract, json: unknown, path: string): Promise<Checked<object>> {
  return typeof contract === 'function' ? checkDto(contract, json, path) : checkBySchema(contract, json, path);
}

/**
 * Makes an instance of JSON: missing members get the class's initial values, unknown members do not fit.
 * Violations have paths below `path` (`message.parts[0].data.lines[2].amount`).
 */
export async function checkDto<T extends object>(dto: DtoClass<T>, json: unknown, path: string): Promise<Checked<T>> {
  if (!isObject(json) || Array.isArray(json)) return notAnObject(path);
  const value = plainToInstance(dto, json, { exposeDefaultValues: true });
  const errors = await validate(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: false, value: false },
  });
  const found = brokenMembers(errors, path).flatMap(violationsOf);
  const unseen = missing(jsonSchemaOf(dto), value, path).filter(
    ({ field }) => !found.some((one) => one.field === field),
  );
  const violations = [...found, ...unseen];
  return violations.length === 0 ? { kind: 'fits', value } : { kind: 'violations', violations };
}

/** The schema is interpreted, never compiled: it comes from another service. */
function checkBySchema(schema: ObjectSchema, json: unknown, path: string): Checked<object> {
  if (!isObject(json) || Array.isArray(json)) return notAnObject(path);
  try {
    const faults = faultsOfValue(schema, json);
    const violations = faults.map(({ path: below, text }) => ({ field: joined(path, below), description: text }));
    return violations.length === 0 ? { kind: 'fits', value: json } : { kind: 'violations', violations };
  } catch (error) {
    if (!(error instanceof SchemaTooHard)) throw error;
    return { kind: 'violations', violations: [{ field: path, description: error.message }] };
  }
}

function joined(path: string, below: string): string {
  return below === '' || below.startsWith('[') ? `${path}${below}` : `${path}.${below}`;
}

function notAnObject(field: string): Checked<never> {
  return { kind: 'violations', violations: [{ field, description: 'must be a JSON object' }] };
}

function violationsOf({ path: field, constraints }: BrokenMember): readonly FieldViolation[] {
  return Object.entries(constraints).map(([rule, text]) => ({
    field,
    description: rule === 'whitelistValidation' ? 'is not a known field' : text,
  }));
}

/** class-validator lets a nested member pass that is not there at all; the schema says whether it must be. */
function missing(schema: ObjectSchema, value: object, path: string): readonly FieldViolation[] {
  return Object.entries(schema.properties).flatMap(([name, member]): readonly FieldViolation[] => {
    const field = `${path}.${name}`;
    const own: unknown = Reflect.get(value, name);
    if (own === undefined || own === null) {
      return isNested(member) && schema.required?.includes(name) === true
        ? [{ field, description: 'must be given' }]
        : [];
    }
    if (Array.isArray(own) && isObjectSchema(member.items)) {
      const { items } = member;
      return own.flatMap((item: unknown, index) => (isObject(item) ? missing(items, item, `${field}[${index}]`) : []));
    }
    return isObjectSchema(member) && isObject(own) ? missing(member, own, field) : [];
  });
}

function isNested(member: JsonObject): boolean {
  return isObjectSchema(member) || isObjectSchema(member.items);
}

function isObjectSchema(schema: unknown): schema is ObjectSchema {
  return isObject(schema) && 'properties' in schema;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
