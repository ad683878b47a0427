import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** Why a nested member does not have the shape that its class declares. */
export interface NestedFault {
  readonly path: string;
  readonly text: string;
}

/** The rules of one member. */
export type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

/**
 * Faults of the members of an instance that class-validator lets pass: nested objects that are absent, arrays in place of objects,
 * and single values in place of arrays, which it checks as if they were entries.
 * @param path that of the instance
 */
export function nestedFaults(value: object, path: string): readonly NestedFault[] {
  return Object.entries(rulesOf(value.constructor)).flatMap(([name, rules]): readonly NestedFault[] => {
    const own: unknown = Reflect.get(value, name);
    const field = `${path}.${name}`;
    if (!areApplied(rules, value, own)) return [];
    if (own === undefined || own === null) return absenceFaults(rules, own, field);
    // class-transformer makes these of members that are declared so.
    const entries = own instanceof Map || own instanceof Set ? [...(own.values() as Iterable<unknown>)] : own;
    if (!isList(rules)) return isNested(rules) ? objectFaults(entries, field) : [];
    if (!Array.isArray(entries)) return [{ path: field, text: 'must be an array' }];
    if (!isNested(rules)) return [];
    return entries.flatMap((one: unknown, at) => objectFaults(one, `${field}[${String(at)}]`));
  });
}

type RulesByMember = Readonly<Record<string, Rules>>;

const RULES = new WeakMap<object, RulesByMember>();

/** The rules of a class by the members that they are of, inherited ones included. */
export function rulesOf(type: unknown): RulesByMember {
  if (typeof type !== 'function') return {};
  const known = RULES.get(type);
  if (known !== undefined) return known;
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', true, false));
  RULES.set(type, rules);
  return rules;
}

export function isNested(rules: Rules): boolean {
  return rules.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
}

/** Whether a member is an array: a rule is for each entry, or for arrays only. */
export function isList(rules: Rules): boolean {
  return rules.some(({ each, name }) => each || name === 'isArray' || name?.startsWith('array') === true);
}

/** Whether nothing is asked of a member in some case: `@IsOptional()`, `@ValidateIf()`. */
export function isConditional(rules: Rules): boolean {
  return rules.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
}

function absenceFaults(rules: Rules, value: null | undefined, path: string): readonly NestedFault[] {
  if (isNested(rules)) return [{ path, text: 'must be given' }];
  return value === null && isList(rules) ? [{ path, text: 'must be an array' }] : [];
}

/** Whether the conditions of a member hold: `@IsOptional()`, `@ValidateIf()`. */
function areApplied(rules: Rules, object: object, value: unknown): boolean {
  return rules
    .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION)
    .every(({ constraints }) => (constraints as [(object: object, value: unknown) => boolean])[0](object, value));
}

function objectFaults(value: unknown, path: string): readonly NestedFault[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? nestedFaults(value, path) : [{ path, text: 'must be an object' }];
}
