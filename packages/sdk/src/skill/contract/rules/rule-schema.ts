import type { JsonObject } from '@parley/protocol/model/json.js';
import { escaped, patternOf } from './pattern-source.js';
import { TEXT_EXAMPLES, TEXT_PATTERNS } from './text-patterns.js';

/** The schema of a rule of class-validator with these arguments. */
type RuleSchema = (args: readonly unknown[]) => JsonObject;

const TEXT: JsonObject = { type: 'string' };
const ARRAY: JsonObject = { type: 'array' };
const NUMBER: JsonObject = { type: 'number' };
/** Types that class-transformer turns into a Date. */
const DATE: JsonObject = {
  anyOf: [{ type: 'string', format: 'date-time' }, { type: ['string', 'number', 'boolean'] }],
};
/** Nothing fits. */
const NEVER: JsonObject = { not: {} };

/**
 * The rules that are no plain test of a text, by name. Each schema accepts all that the rule accepts, also where a
 * reader asserts `format`, and leaves out rules that it cannot express.
 */
const SCHEMAS: Readonly<Record<string, RuleSchema>> = {
  isString: () => TEXT,
  isNumber: () => NUMBER,
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isNotEmptyObject: () => ({ type: 'object', minProperties: 1 }),
  isArray: () => ARRAY,
  ...{ isDate: () => DATE, minDate: () => DATE, maxDate: () => DATE },

  equals: ([value]) => (isPrimitive(value) ? { const: value } : {}),
  notEquals: ([value]) => (isPrimitive(value) ? { not: { const: value } } : {}),
  isIn: ([values]) => oneOf(listOf(values)),
  isNotIn: ([values]) => noneOf(listOf(values)),
  isEnum: ([entity]) => oneOf(Object.values(entity as object)),
  isEmpty: () => ({ enum: ['', null] }),
  isNotEmpty: () => noneOf(['', null]),
  isDefined: () => ({ not: { type: 'null' } }),

  min: ([least]) => ({ type: 'number', minimum: least }),
  max: ([most]) => ({ type: 'number', maximum: most }),
  isPositive: () => ({ type: 'number', exclusiveMinimum: 0 }),
  isNegative: () => ({ type: 'number', exclusiveMaximum: 0 }),
  isDivisibleBy: ([divisor]) => multipleOf(Math.trunc(Number(divisor))),
  isLatitude: () => ({ type: ['number', 'string'], minimum: -90, maximum: 90 }),
  isLongitude: () => ({ type: ['number', 'string'], minimum: -180, maximum: 180 }),

  minLength: ([least]) => ({ type: 'string', ...lengths(least, undefined) }),
  maxLength: ([most]) => ({ type: 'string', ...lengths(undefined, most) }),
  isLength: ([least, most]) => ({ type: 'string', ...lengths(least, most) }),
  // A character has one to four bytes.
  isByteLength: ([least, most]) => ({ type: 'string', ...lengths(Math.ceil(Number(least ?? 0) / 4), most) }),
  matches: ([rule, modifiers]) => matching(patternOf(rule as RegExp | string, modifiers as string | undefined)),
  contains: ([seed]) => matching(typeof seed === 'string' ? escaped(seed) : undefined),
  notContains: ([seed]) =>
    typeof seed === 'string' && seed !== '' ? { type: 'string', not: { pattern: escaped(seed) } } : TEXT,

  arrayContains: ([values]) => ({
    type: 'array',
    allOf: listOf(values).map((value) => (isPrimitive(value) ? { contains: { const: value } } : NEVER)),
  }),
  arrayNotContains: ([values]) => ({ type: 'array', items: noneOf(listOf(values)) }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  arrayMinSize: ([least]) => ({ type: 'array', minItems: least }),
  arrayMaxSize: ([most]) => ({ type: 'array', maxItems: most }),
  // Two objects are never the same to the rule, and may be to `uniqueItems`.
  arrayUnique: () => ARRAY,
};

/** The schema of a rule; of a rule that is not class-validator's own, the empty schema. */
export function ruleSchema(name: string | undefined, args: readonly unknown[] = []): JsonObject {
  if (name === undefined) return {};
  const known = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (known !== undefined) return known(args);
  const test = Object.hasOwn(TEXT_PATTERNS, name) ? TEXT_PATTERNS[name] : undefined;
  if (test === undefined) return {};
  const schema = matching(typeof test === 'function' ? test(args) : test);
  // With options the rule may want another text.
  const example = args.some((one) => typeof one === 'object') ? undefined : TEXT_EXAMPLES[name];
  return example === undefined ? schema : { ...schema, examples: [example] };
}

function matching(pattern: string | undefined): JsonObject {
  return pattern === undefined || pattern === '' ? TEXT : { type: 'string', pattern };
}

function lengths(least: unknown, most: unknown): JsonObject {
  return {
    ...(typeof least === 'number' && least > 0 ? { minLength: Math.ceil(least) } : {}),
    ...(typeof most === 'number' && most >= 0 ? { maxLength: Math.floor(most) } : {}),
  };
}

function multipleOf(divisor: number): JsonObject {
  return Number.isFinite(divisor) && divisor !== 0 ? { type: 'number', multipleOf: Math.abs(divisor) } : NUMBER;
}

/** Values that are no JSON, or are compared by identity, are never met. */
function oneOf(values: readonly unknown[]): JsonObject {
  const known = [...new Set(values.filter(isPrimitive))];
  if (known.length === 0) return NEVER;
  const types = [...new Set(known.map(typeName))];
  return types.length === 1 ? { type: types[0], enum: known } : { enum: known };
}

function noneOf(values: readonly unknown[]): JsonObject {
  const known = [...new Set(values.filter(isPrimitive))];
  return known.length === 0 ? {} : { not: { enum: known } };
}

function isPrimitive(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

function typeName(value: string | number | boolean | null): string {
  return value === null ? 'null' : typeof value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
