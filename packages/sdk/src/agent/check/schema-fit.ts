import type { JsonObject } from '@parley/protocol/model/json.js';

/** A misfit of two schemas: the path of the member, and its fault. */
export interface Misfit {
  readonly path: string;
  readonly text: string;
}

/**
 * Reasons why values of one schema do not all fit another; empty where they do. Whatever a schema does not declare
 * fits: a function, a format or a bound is checked when the call is made.
 */
export function misfits(given: JsonObject | undefined, taken: JsonObject | undefined, path = ''): readonly Misfit[] {
  if (given === undefined || taken === undefined) return [];
  if (!typesFit(given.type, taken.type)) {
    return [{ path, text: `is ${typeName(given)}, and ${typeName(taken)} is needed` }];
  }
  const values = valuesOf(given);
  const allowed = valuesOf(taken);
  const other = allowed && values?.find((value) => value !== null && !allowed.includes(value));
  if (other !== undefined) return [{ path, text: `may be ${JSON.stringify(other)}, which is not allowed` }];
  return [...memberMisfits(given, taken, path), ...itemMisfits(given, taken, path)];
}

/** The schema of a member below `path` (`totals.payable`), or undefined where nothing is declared; null: there is none. */
export function memberOf(schema: JsonObject | undefined, path: string): JsonObject | undefined | null {
  if (schema === undefined || path === '') return schema;
  const [name = '', ...rest] = path.split('.');
  const properties = recordOf(schema.properties);
  if (properties === undefined) return schema.type === undefined || schema.type === 'object' ? undefined : null;
  const member = recordOf(properties[name]);
  if (member === undefined) return schema.additionalProperties === false ? null : undefined;
  return memberOf(member, rest.join('.'));
}

/** Names of the members that a schema declares. */
export function memberNames(schema: JsonObject | undefined): readonly string[] {
  return Object.keys(recordOf(schema?.properties) ?? {});
}

/** Whether values of the schema may lack this member. */
export function mayLack(schema: JsonObject | undefined, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  const properties = recordOf(schema?.properties);
  const member = recordOf(properties?.[name]);
  if (schema === undefined || member === undefined) return false;
  const isSure = isRequired(schema, name) || member.default !== undefined;
  return !isSure || (rest.length > 0 && mayLack(member, rest.join('.')));
}

function memberMisfits(given: JsonObject, taken: JsonObject, path: string): readonly Misfit[] {
  const [has, wants] = [recordOf(given.properties), recordOf(taken.properties)];
  if (has === undefined || wants === undefined) return [];
  const unknown = taken.additionalProperties === false ? Object.keys(has).filter((name) => !(name in wants)) : [];
  return [
    ...unknown.map((name) => ({ path: joinedPath(path, name), text: 'is not a known field' })),
    ...Object.entries(wants).flatMap(([name, member]): readonly Misfit[] => {
      const own = recordOf(has[name]);
      const at = joinedPath(path, name);
      if (own === undefined) return isRequired(taken, name) ? [{ path: at, text: 'is needed, and not given' }] : [];
      if (isRequired(taken, name) && mayLack(given, name)) return [{ path: at, text: 'is needed, and may be absent' }];
      return misfits(own, recordOf(member), at);
    }),
  ];
}

function itemMisfits(given: JsonObject, taken: JsonObject, path: string): readonly Misfit[] {
  return misfits(recordOf(given.items), recordOf(taken.items), `${path}[]`);
}

function isRequired(schema: JsonObject, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

function typesFit(given: unknown, taken: unknown): boolean {
  // An optional member may be null, which is as if it were absent: `mayLack` judges that.
  const [has, wants] = [typesOf(given).filter((type) => type !== 'null'), typesOf(taken)];
  if (has.length === 0 || wants.length === 0) return true;
  return has.every((type) => wants.includes(type) || (type === 'integer' && wants.includes('number')));
}

function typesOf(type: unknown): readonly unknown[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function typeName({ type }: JsonObject): string {
  return typesOf(type).join(' or ');
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function joinedPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function recordOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
