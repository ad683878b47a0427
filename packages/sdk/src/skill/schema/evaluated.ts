import type { JsonObject } from '@parley/protocol/model/json.js';
import { memberOf } from './references.js';

/** What the search for evaluated members asks of the check that it is part of. */
export interface Judgement {
  readonly fits: (schema: unknown, value: unknown) => boolean;
  /** The schema that a reference names. */
  readonly targetOf: (schema: JsonObject) => { readonly schema: unknown } | undefined;
  readonly matches: (pattern: string, name: string) => boolean;
  /** Whether `contains` evaluates the entries that it finds: since 2020-12. */
  readonly doesContainEvaluate: boolean;
}

/**
 * The names of members, or the places of entries, that a schema has judged, also by the schemas that it applies to the
 * same value: `unevaluatedProperties` and `unevaluatedItems` judge all others. Only schemas that a value fits count.
 */
export function evaluatedBy(schema: unknown, value: object, judgement: Judgement): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const keywords = schema as JsonObject;
  const own = Array.isArray(value) ? entriesOf(keywords, value, judgement) : membersOf(keywords, value, judgement);
  const applied = appliedBy(keywords, value, judgement).filter((one) => judgement.fits(one, value));
  return new Set([...own, ...applied.flatMap((one) => [...evaluatedWhole(one, value, judgement)])]);
}

/** With the keywords of the schema that judge all that is left. */
function evaluatedWhole(schema: unknown, value: object, judgement: Judgement): Iterable<string> {
  const keyword = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
  return memberOf(schema, keyword) === undefined ? evaluatedBy(schema, value, judgement) : Object.keys(value);
}

/** Schemas that hold for the same value. */
function appliedBy(schema: JsonObject, value: object, { fits, targetOf }: Judgement): readonly unknown[] {
  const { allOf, anyOf, oneOf, if: condition, dependentSchemas } = schema;
  const chosen = condition === undefined ? [] : fits(condition, value) ? [condition, schema.then] : [schema.else];
  const dependent = Object.keys(value).map((name) => memberOf(dependentSchemas, escaped(name)));
  const target = targetOf(schema);
  return [...[allOf, anyOf, oneOf].flatMap(listOf), ...chosen, ...dependent, target?.schema];
}

function membersOf(schema: JsonObject, value: object, { matches }: Judgement): readonly string[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const names = Object.keys(value);
  if (additionalProperties !== undefined) return names;
  const patterns = typeof patternProperties === 'object' && patternProperties !== null ? patternProperties : {};
  return names.filter(
    (name) =>
      memberOf(properties, escaped(name)) !== undefined ||
      Object.keys(patterns).some((pattern) => matches(pattern, name)),
  );
}

function entriesOf(schema: JsonObject, value: readonly unknown[], judgement: Judgement): readonly string[] {
  const { items, prefixItems, additionalItems, contains } = schema;
  const isOlder = Array.isArray(items);
  const rest = isOlder ? additionalItems : items;
  const first = listOf(isOlder ? items : prefixItems).length;
  const isFound = (one: unknown): boolean =>
    contains !== undefined && judgement.doesContainEvaluate && judgement.fits(contains, one);
  return Object.keys(value).filter((at) => rest !== undefined || Number(at) < first || isFound(value[Number(at)]));
}

/** A name as a step of a JSON pointer. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
