import canonicalize from 'canonicalize';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type Budget, newBudget, SchemaTooHard, spend } from './budget.js';
import { escaped, evaluatedBy, type Judgement, listOf } from './evaluated.js';
import { matchesPattern } from './pattern.js';
import { memberOf, SchemaReferences } from './references.js';

export { SchemaTooHard } from './budget.js';

/** Why a value does not fit: the path of the member, and its fault. */
export interface ValueFault {
  readonly path: string;
  readonly text: string;
}

/** Faults that are reported. */
const MAX_FAULTS = 5;

/**
 * Faults of a value against a foreign JSON Schema, of draft-04 to 2020-12; empty when it fits. Keywords that the drafts
 * write differently are distinguished by their form. The schema is read and never compiled: no code is generated, no
 * address in it is followed, and unknown keywords are not checked.
 * @throws SchemaTooHard for a schema that is too deep, or takes too many steps or too long
 */
export function faultsOfValue(schema: unknown, value: unknown, budget = newBudget()): readonly ValueFault[] {
  return new Check(schema, budget).faults(schema, value, '').slice(0, MAX_FAULTS);
}

type Faults = readonly ValueFault[];

class Check implements Judgement {
  private readonly references: SchemaReferences;

  constructor(
    private readonly root: unknown,
    private readonly budget: Budget,
  ) {
    this.references = new SchemaReferences(root);
  }

  faults(schema: unknown, value: unknown, path: string): Faults {
    return spend(this.budget, () => this.checked(schema, value, path));
  }

  private checked(schema: unknown, value: unknown, path: string): Faults {
    if (schema === true || schema === undefined) return [];
    if (schema === false) return [{ path, text: 'is not allowed' }];
    if (!isJsonObject(schema)) throw new SchemaTooHard('it is no object');
    return [
      ...this.referred(schema, value, path),
      ...typeFaults(schema, value, path),
      ...this.textFaults(schema, value, path),
      ...numberFaults(schema, value, path),
      ...(Array.isArray(value) ? this.itemFaults(schema, value, path) : []),
      ...(isJsonObject(value) ? this.memberFaults(schema, value, path) : []),
      ...this.combined(schema, value, path),
      ...this.unevaluatedFaults(schema, value, path),
    ];
  }

  fits = (schema: unknown, value: unknown): boolean => this.faults(schema, value, '').length === 0;
  matches = (pattern: string, name: string): boolean => matchesPattern(pattern, name, this.budget);
  targetOf = (schema: JsonObject): { readonly schema: unknown } | undefined => this.references.targetOf(schema);

  get doesContainEvaluate(): boolean {
    return !String(memberOf(this.root, '$schema')).includes('draft/2019-09');
  }

  /** Faults of the members and entries that no other keyword has judged. */
  private unevaluatedFaults(schema: JsonObject, value: unknown, path: string): Faults {
    if (typeof value !== 'object' || value === null) return [];
    const rule = Array.isArray(value) ? schema.unevaluatedItems : schema.unevaluatedProperties;
    if (rule === undefined) return [];
    const evaluated = evaluatedBy(schema, value, this);
    return Object.entries(value)
      .filter(([name]) => !evaluated.has(name))
      .flatMap(([name, one]) => this.faults(rule, one, Array.isArray(value) ? `${path}[${name}]` : below(path, name)));
  }

  private referred(schema: JsonObject, value: unknown, path: string): Faults {
    const target = this.targetOf(schema);
    return target === undefined ? [] : this.faults(target.schema, value, path);
  }

  private combined(schema: JsonObject, value: unknown, path: string): Faults {
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    const fits = (one: unknown): boolean => this.faults(one, value, path).length === 0;
    const faults = listOf(allOf).flatMap((one) => this.faults(one, value, path));
    if (Array.isArray(anyOf) && !anyOf.some(fits)) return [...faults, { path, text: 'fits none of its forms' }];
    if (Array.isArray(oneOf) && oneOf.filter(fits).length !== 1)
      return [...faults, { path, text: 'does not fit exactly one of its forms' }];
    if (not !== undefined && fits(not)) return [...faults, { path, text: 'has a form that is not allowed' }];
    if (condition === undefined) return faults;
    return [...faults, ...this.faults(fits(condition) ? schema.then : schema.else, value, path)];
  }

  private textFaults({ pattern, minLength, maxLength }: JsonObject, value: unknown, path: string): Faults {
    if (typeof value !== 'string') return [];
    const length = pattern === undefined && minLength === undefined && maxLength === undefined ? 0 : [...value].length;
    if (Number(minLength) > length) return [{ path, text: `has less than ${String(minLength)} characters` }];
    if (Number(maxLength) < length) return [{ path, text: `has more than ${String(maxLength)} characters` }];
    if (typeof pattern !== 'string' || matchesPattern(pattern, value, this.budget)) return [];
    return [{ path, text: 'does not match its pattern' }];
  }

  private itemFaults(schema: JsonObject, value: readonly unknown[], path: string): Faults {
    const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains } = schema;
    if (Number(minItems) > value.length) return [{ path, text: `has less than ${String(minItems)} entries` }];
    if (Number(maxItems) < value.length) return [{ path, text: `has more than ${String(maxItems)} entries` }];
    if (uniqueItems === true && new Set(value.map((one) => canonicalize(one))).size < value.length)
      return [{ path, text: 'has an entry twice' }];
    // Before 2020-12 a list of `items` had the meaning of `prefixItems`, and `additionalItems` that of `items`.
    const isOlder = Array.isArray(schema.items);
    const first = listOf(isOlder ? schema.items : schema.prefixItems);
    const items = isOlder ? schema.additionalItems : schema.items;
    const faults = value.flatMap((one, at) =>
      this.faults(at < first.length ? first[at] : items, one, `${path}[${String(at)}]`),
    );
    if (contains === undefined) return faults;
    const found = value.filter((one) => this.faults(contains, one, path).length === 0).length;
    if (Number(maxContains) < found) return [...faults, { path, text: 'has too many entries of a kind' }];
    return Number(minContains) > found ? [...faults, { path, text: 'lacks an entry' }] : faults;
  }

  private memberFaults(schema: JsonObject, value: JsonObject, path: string): Faults {
    const names = Object.keys(value);
    const missing = listOf(schema.required).filter((name) => typeof name === 'string' && !Object.hasOwn(value, name));
    if (Number(schema.minProperties) > names.length || Number(schema.maxProperties) < names.length)
      return [{ path, text: 'has another number of members' }];
    return [
      ...missing.map((name) => ({ path: below(path, String(name)), text: 'is missing' })),
      ...names.flatMap((name) => this.memberFault(schema, name, value[name], below(path, name))),
      ...names.flatMap((name) => this.dependentFaults(schema, name, value, path)),
      ...names.flatMap((name) => this.faults(schema.propertyNames, name, below(path, name))),
    ];
  }

  /** Requirements of a present member: `dependencies` became two keywords in 2019-09. */
  private dependentFaults(schema: JsonObject, name: string, value: JsonObject, path: string): Faults {
    const { dependencies, dependentRequired, dependentSchemas } = schema;
    return [dependencies, dependentRequired, dependentSchemas].flatMap((keyword) => {
      const own = isJsonObject(keyword) ? memberOf(keyword, escaped(name)) : undefined;
      // draft-03 and some writers name a single member without a list.
      if (!Array.isArray(own) && typeof own !== 'string') return this.faults(own, value, path);
      return [own].flat().flatMap((needed: unknown) => {
        const isThere = typeof needed !== 'string' || Object.hasOwn(value, needed);
        return isThere ? [] : [{ path: below(path, needed), text: 'is missing' }];
      });
    });
  }

  private memberFault(schema: JsonObject, name: string, value: unknown, path: string): Faults {
    const { properties, patternProperties, additionalProperties } = schema;
    const own = memberOf(properties, escaped(name));
    const matching = Object.entries(isJsonObject(patternProperties) ? patternProperties : {})
      .filter(([pattern]) => matchesPattern(pattern, name, this.budget))
      .map(([, one]) => one);
    const known = own === undefined ? matching : [own, ...matching];
    return (known.length === 0 ? [additionalProperties] : known).flatMap((one) => this.faults(one, value, path));
  }
}

function typeFaults(schema: JsonObject, value: unknown, path: string): Faults {
  const { type, enum: values } = schema;
  const types = listOf(Array.isArray(type) ? type : type === undefined ? [] : [type]);
  if (types.length > 0 && !types.some((one) => isOfType(one, value)))
    return [{ path, text: `must be ${types.join(' or ')}` }];
  if (Array.isArray(values) && !isAmong(values, value)) return [{ path, text: 'is none of the allowed values' }];
  const isOther = Object.hasOwn(schema, 'const') && !isSame(schema.const, value);
  return isOther ? [{ path, text: 'is not the allowed value' }] : [];
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function numberFaults(schema: JsonObject, value: unknown, path: string): Faults {
  if (typeof value !== 'number') return [];
  const { minimum, maximum, multipleOf } = schema;
  const isLow = Number(minimum) > value || Number(limitOf(schema.exclusiveMinimum, minimum)) >= value;
  const isHigh = Number(maximum) < value || Number(limitOf(schema.exclusiveMaximum, maximum)) <= value;
  if (isLow || isHigh) return [{ path, text: isLow ? 'is too small' : 'is too large' }];
  // A quotient that is no number any more is no multiple either.
  const isOdd =
    typeof multipleOf === 'number' &&
    multipleOf > 0 &&
    !(Math.abs(value / multipleOf - Math.round(value / multipleOf)) <= 1e-9);
  return isOdd ? [{ path, text: `is no multiple of ${String(multipleOf)}` }] : [];
}

/** draft-04 has a switch beside the bound where later drafts have a bound of its own. */
function limitOf(exclusive: unknown, bound: unknown): unknown {
  if (typeof exclusive !== 'boolean') return exclusive;
  return exclusive ? bound : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return isAmong([one], other);
}

/** A large value is written once, however many it is compared with. */
function isAmong(values: readonly unknown[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return values.includes(value);
  const text = canonicalize(value);
  return values.some((one) => typeof one === 'object' && one !== null && canonicalize(one) === text);
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
