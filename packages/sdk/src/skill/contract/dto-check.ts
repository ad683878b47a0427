import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { type BrokenMember, brokenMembers } from '../../validation/broken-members.js';
import { nestedFaults } from '../../validation/nested-faults.js';
import type { FieldViolation } from '@parley/protocol/model/errors.js';
import { faultsOfValue, SchemaTooHard } from '../schema/check-value.js';
import type { Contract, DtoClass } from '../skill.js';
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
  const value = made(dto, json);
  if (value === undefined) return { kind: 'violations', violations: unreadable(dto, json, path) };
  const errors = await validate(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: false, value: false },
  });
  const found = brokenMembers(errors, path).flatMap(violationsOf);
  const unseen = nestedFaults(value, path)
    .filter((fault) => !found.some(({ field }) => field === fault.path))
    .map((fault) => ({ field: fault.path, description: fault.text }));
  const violations = [...found, ...unseen];
  return violations.length === 0 ? { kind: 'fits', value } : { kind: 'violations', violations };
}

/** Undefined where a transformation of the class throws for the value. */
function made<T extends object>(dto: DtoClass<T>, json: object): T | undefined {
  try {
    return plainToInstance(dto, json, { exposeDefaultValues: true });
  } catch {
    return undefined;
  }
}

function unreadable(dto: DtoClass, json: object, path: string): readonly FieldViolation[] {
  const wrong = Object.entries(json).filter(([name, value]) => made(dto, { [name]: value as unknown }) === undefined);
  const fields = wrong.length === 0 ? [path] : wrong.map(([name]) => `${path}.${name}`);
  return fields.map((field) => ({ field, description: 'cannot be read' }));
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
    // No fault of the caller: the service that the schema is of judges the value itself.
    return { kind: 'fits', value: json };
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
