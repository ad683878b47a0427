import type { JsonObject } from '@parley/protocol/model/json.js';
import { newBudget, SchemaTooHard } from './budget.js';
import { faultsOfValue, isJsonObject } from './check-value.js';
import { matchesPattern } from './pattern.js';
import { SchemaReferences } from './references.js';

/** Schemas of a document that are read. */
const MAX_SCHEMAS = 10_000;

/** Keywords with a schema, with a list of schemas, and with schemas by name. */
const SINGLE = [
  ...['additionalItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];

/**
 * Why values cannot be checked against a foreign JSON Schema, in all of it that a value may reach; undefined where they
 * can (B5). Such a schema is the fault of the service that wrote it: it is reported to an operator before a caller
 * comes.
 */
export function schemaFault(schema: unknown): string | undefined {
  const references = new SchemaReferences(schema);
  const known = new Set<unknown>([schema]);
  try {
    for (const one of known) {
      if (typeof one === 'boolean') continue;
      if (!isJsonObject(one)) throw new SchemaTooHard('it is no object');
      for (const pattern of patternsOf(one)) matchesPattern(pattern, '', newBudget());
      const target = references.targetOf(one);
      for (const inner of [...(target === undefined ? [] : [target.schema]), ...innerOf(one)]) known.add(inner);
      if (known.size > MAX_SCHEMAS) throw new SchemaTooHard('it is too large');
    }
    // Finds endless recursion wherever a value is, such as a reference to itself.
    faultsOfValue(schema, {});
    return undefined;
  } catch (error) {
    if (error instanceof SchemaTooHard) return error.reason;
    throw error;
  }
}

/** A line for each schema of a tool or skill of another service that values cannot be held against. */
export function schemaFaultLines({
  input,
  output,
}: {
  readonly input?: unknown;
  readonly output?: unknown;
}): readonly string[] {
  return Object.entries({ input, output }).flatMap(([name, schema]) => {
    const reason = schema === undefined ? undefined : schemaFault(schema);
    return reason === undefined
      ? []
      : [`its ${name} schema cannot be judged, as ${reason}: only its service judges values`];
  });
}

function innerOf(schema: JsonObject): readonly unknown[] {
  const { items } = schema;
  const single = SINGLE.map((name) => schema[name]).filter((one) => one !== undefined);
  const ofItems = items === undefined || Array.isArray(items) ? [] : [items];
  const lists = LISTS.flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as readonly unknown[]) : []));
  const maps = MAPS.flatMap((name) => membersOf(schema[name]));
  return [...single, ...ofItems, ...lists, ...maps, ...membersOf(schema.dependencies).filter((one) => !isNames(one))];
}

function membersOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

/** `dependencies` has names of members where it has no schema. */
function isNames(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

function patternsOf({ pattern, patternProperties }: JsonObject): readonly string[] {
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === 'string' ? [pattern, ...names] : names;
}
