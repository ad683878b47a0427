import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, IS_OPTIONAL, type MetadataStorage, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { isConditional, isList, isNested, type Rules, rulesOf } from '../../validation/nested-faults.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Contract, DtoClass } from '../skill.js';
import type { ObjectSchema } from './object-schema.js';
import { combined, nullable } from './rules/combined-schema.js';
import { ruleSchema } from './rules/rule-schema.js';

const CACHE = new WeakMap<DtoClass, ObjectSchema>();

/**
 * The JSON Schema (2020-12) of a DTO class: its class-validator decorators, `@JSONSchema` for descriptions, and initial
 * values as defaults. It accepts whatever `checkDto` accepts, and leaves out rules that it cannot express. Nested
 * classes are inlined, because two skills may use one name for two classes. A contract that is a schema is returned
 * unchanged.
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
  const rules = rulesOf(dto);
  const initial: object = plainToInstance(dto, {}, { exposeDefaultValues: true });
  const members = Object.entries(rules).map(([name, own]) => [name, memberSchema({ dto, name, rules: own, within })]);
  const { properties = {}, ...rest } = described(dto, Object.fromEntries(members) as Record<string, JsonObject>);
  const preset = (name: string): unknown => Reflect.get(initial, name);
  const needed = Object.keys(properties).filter(
    (name) => preset(name) === undefined && isNeeded(rules[name] ?? [], initial),
  );
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        preset(name) === undefined ? schema : { ...schema, default: preset(name) },
      ]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
}

/** The type under which `described` asks for the schema of a member. */
const MEMBER = 'member';

/** Adds the `@JSONSchema` of a class and its members; its key is known to the library only. */
function described(
  dto: DtoClass,
  members: Readonly<Record<string, JsonObject>>,
): { readonly properties?: Readonly<Record<string, JsonObject>> } & JsonObject {
  const one = (name: string): object => ({ type: MEMBER, target: dto, propertyName: name, each: false });
  const storage = { getTargetValidationMetadatas: () => Object.keys(members).map(one) };
  const { required: _ours, ...schema } = targetConstructorToSchema(dto, {
    classValidatorMetadataStorage: storage as unknown as MetadataStorage,
    additionalConverters: { [MEMBER]: ({ propertyName }) => members[propertyName] ?? {} },
  });
  return schema as JsonObject;
}

interface Member {
  readonly dto: DtoClass;
  readonly name: string;
  readonly rules: Rules;
  readonly within: readonly DtoClass[];
}

function memberSchema(member: Member): JsonObject {
  const { rules } = member;
  const schema = wholeSchema(member);
  const conditions = rules.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const isSometimesFree = conditions.some((one) => one.name !== IS_OPTIONAL);
  // Where a condition or a transformation decides, the schema only shows the usual form.
  if (isSometimesFree || isTransformed(member)) return { anyOf: [schema, {}] };
  return conditions.length > 0 && Object.keys(schema).length > 0 ? nullable(schema) : schema;
}

function wholeSchema(member: Member): JsonObject {
  const { rules } = member;
  const schemas = rules
    .filter(({ validateIf }) => validateIf === undefined)
    .map(({ type, name, constraints, each }) => {
      const isInner = type === ValidationTypes.NESTED_VALIDATION;
      const one = isInner ? nestedSchema(member) : ruleSchema(name ?? type, argumentsOf(constraints));
      return each || (isInner && isList(rules)) ? { type: 'array', items: one } : one;
    });
  return simplified(combined(schemas), rules);
}

/** Leaves out rules that the type implies, and declares for simple entries that none is repeated. */
function simplified(schema: JsonObject, rules: Rules): JsonObject {
  const { type, items, not, ...rest } = schema;
  const isUnique = rules.some(
    ({ name, constraints }) => name === 'arrayUnique' && argumentsOf(constraints)[0] === undefined,
  );
  if (type === 'array' && isUnique && isSimple(items)) return { ...schema, uniqueItems: true };
  const denied = JSON.stringify(not);
  if (type === undefined || !DENIED.includes(denied)) return schema;
  const isText = type === 'string' && denied !== '{"type":"null"}';
  return { type, ...(items === undefined ? {} : { items }), ...(isText ? { minLength: 1 } : {}), ...rest };
}

/** Values that `@IsNotEmpty()` and `@IsDefined()` deny: of a typed member only the empty text. */
const DENIED = ['{"enum":["",null]}', '{"type":"null"}'];

function isSimple(items: unknown): boolean {
  const type: unknown = typeof items === 'object' && items !== null && 'type' in items ? items.type : undefined;
  return typeof type === 'string' && ['string', 'number', 'integer', 'boolean'].includes(type);
}

/** Whether an object without the member is refused. */
function isNeeded(rules: Rules, object: object): boolean {
  if (isConditional(rules)) return false;
  return isNested(rules) || rules.some((rule) => refusesAbsence(rule, object));
}

function refusesAbsence({ type, constraintCls, constraints, ...rule }: Rules[number], object: object): boolean {
  if (rule.validateIf !== undefined) return false;
  if (type !== ValidationTypes.CUSTOM_VALIDATION) return type === ValidationTypes.IS_DEFINED;
  const args = {
    targetName: '',
    property: rule.propertyName,
    object,
    value: undefined,
    constraints: [...argumentsOf(constraints)],
  };
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .some(({ instance }) => instance.validate(undefined, args) === false);
}

/** A class that holds itself, directly or not, is written out once; further down it is any object. */
function nestedSchema({ dto, name, within }: Member): JsonObject {
  const nested = nestedClassOf(dto, name);
  return nested === undefined || [dto, ...within].includes(nested)
    ? { type: 'object' }
    : schemaOf(nested, [dto, ...within]);
}

/** The class that class-transformer makes for a member: tried out, since `@Type` has no public way to be asked. */
function nestedClassOf(dto: DtoClass, member: string): DtoClass | undefined {
  const probe = read(dto, { [member]: {} })?.[member];
  return typeof probe === 'object' && probe !== null && probe.constructor !== Object
    ? (probe.constructor as DtoClass)
    : undefined;
}

const DATES = ['isDate', 'minDate', 'maxDate'];
/** Texts, numbers and a switch, which a transformation would change. */
const PROBES = [' aB ', '12', '', 12.5, -1, true];

/** Whether class-transformer changes the value of a member. Of dates the schema knows it. */
function isTransformed({ dto, name, rules }: Member): boolean {
  const isDate = rules.some((rule) => DATES.includes(rule.name ?? ''));
  return PROBES.some((probe) => {
    const made = read(dto, { [name]: probe });
    return made === undefined || (made[name] !== probe && !(isDate && made[name] instanceof Date));
  });
}

function read(dto: DtoClass, json: JsonObject): JsonObject | undefined {
  try {
    const made: object = plainToInstance(dto, json);
    return { ...made };
  } catch {
    return undefined;
  }
}

/** The arguments of a decorator, which class-validator leaves out for some. */
function argumentsOf(constraints: unknown): readonly unknown[] {
  return Array.isArray(constraints) ? constraints : [];
}
