import type { JsonObject } from '@parley/protocol/model/json.js';
import { mayLack, memberNames, memberOf } from './schema-fit.js';
import type { Known, Scope } from './scope.js';

/** Where a value comes from. */
export type SourceKind = 'message' | 'state' | 'last' | 'item' | 'value';

/** A source as it is declared. */
export interface DeclaredSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly path: string;
  readonly constant: unknown;
}

/** Known shape of the value of a source; reports a fault where there can be none. */
export function knownAt(source: DeclaredSource, scope: Scope): Known {
  const whole = wholeOf(source, scope);
  if (whole === undefined) return { origin: `"${source.name}"` };
  const { path } = source;
  if (path === '') return whole;
  const member = memberOf(whole.schema, path);
  if (member === null) {
    scope.fault(`${whole.origin} has no field "${path}"${hasInstead(whole.schema)}`);
    return { origin: `"${path}"` };
  }
  const isOptional = whole.isOptional === true || mayLack(whole.schema, path);
  const origin = `"${path}" of ${whole.origin}`;
  return { origin, ...(isOptional ? { isOptional } : {}), ...(member === undefined ? {} : { schema: member }) };
}

function wholeOf({ kind, name, constant }: DeclaredSource, scope: Scope): Known | undefined {
  switch (kind) {
    case 'message':
      return { schema: { type: 'string' }, origin: 'the message' };
    case 'last':
      if (scope.last === scope.message)
        scope.fault('from.last() has no step before it: take from.message() or from.input()');
      return scope.last;
    case 'value':
      return { schema: constantSchema(constant), origin: JSON.stringify(constant) };
    case 'item':
      if (scope.item === undefined) scope.fault('from.item() is for the steps of a map');
      return scope.item;
    case 'state':
      return stateKnown(name, scope);
  }
}

function stateKnown(name: string, scope: Scope): Known | undefined {
  const known = scope.get(name);
  if (known === undefined) scope.fault(`no step before it leaves a value "${name}"`);
  return known;
}

function hasInstead(schema: JsonObject | undefined): string {
  const names = memberNames(schema);
  return names.length === 0 ? '' : `: it has ${names.map((name) => `"${name}"`).join(', ')}`;
}

function constantSchema(value: unknown): JsonObject {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    const properties = Object.fromEntries(entries.map(([name, member]) => [name, constantSchema(member)]));
    return { type: 'object', properties, required: entries.map(([name]) => name) };
  }
  return { type: typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value, const: value };
}
