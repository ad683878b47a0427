import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage, IS_OPTIONAL, ValidationTypes, type ValidationArguments } from 'class-validator';

/** Puts a plain value in shape; undefined where it is not plainly sound. */
type Reader = (input: object) => object | undefined;

/** Whether one member of an object is as its decorators ask. */
type Check = (object: object, value: unknown) => boolean;

interface Member {
  /** Nothing is asked of it where it is absent. */
  readonly isOptional: boolean;
  readonly conditions: readonly Check[];
  readonly checks: readonly Check[];
  readonly nested: Reader | undefined;
}

const READERS = new Map<ClassConstructor<object>, Reader>();
const NOT_SOUND: Reader = () => undefined;

/**
 * Fast-path validation. Returns undefined if any check fails or a decorator is unsupported; the caller then falls back to
 * class-validator, which builds the error report. class-validator collects the rules again for every call; this collects
 * them once and calls the same validators.
 */
export function fastValidated<T extends object>(dto: ClassConstructor<T>, input: object): T | undefined {
  return readerOf(dto)(input) as T | undefined;
}

function readerOf(dto: ClassConstructor<object>): Reader {
  const present = READERS.get(dto);
  if (present !== undefined) return present;
  const made = makeReader(dto);
  READERS.set(dto, made);
  return made;
}

function makeReader(dto: ClassConstructor<object>): Reader {
  const storage = getMetadataStorage();
  const decorators = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', true, false));
  const members = new Map<string, Member>();
  for (const [name, metadatas] of Object.entries(decorators)) {
    const member = memberOf(dto, name, metadatas);
    if (member === undefined) return NOT_SOUND;
    members.set(name, member);
  }
  const made = new dto();
  const always = [...members].filter(([name, { isOptional }]) => !isOptional || name in made);
  return (input) => read(input, { dto, members, always });
}

type Decorator = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Undefined for a member with a decorator that is not known here. */
function memberOf(dto: ClassConstructor<object>, name: string, decorators: readonly Decorator[]): Member | undefined {
  const of = (type: string): readonly Decorator[] => decorators.filter((one) => one.type === type);
  const conditional = of(ValidationTypes.CONDITIONAL_VALIDATION);
  const custom = [...of(ValidationTypes.IS_DEFINED), ...of(ValidationTypes.CUSTOM_VALIDATION)];
  const nested = of(ValidationTypes.NESTED_VALIDATION);
  const known = conditional.length + custom.length + nested.length + of(ValidationTypes.WHITELIST).length;
  if (known < decorators.length || decorators.some(({ validateIf }) => validateIf !== undefined)) return undefined;
  const type = nested.length === 0 ? undefined : typeOf(dto, name);
  if (isTransformed(dto, name) || (nested.length > 0 && type === undefined)) return undefined;
  return {
    isOptional: conditional.some(({ name }) => name === IS_OPTIONAL),
    conditions: conditional.map(
      ({ constraints }) =>
        (object, value) =>
          (constraints as [Check])[0](object, value),
    ),
    checks: custom.map(checkOf),
    nested: type && ((object) => readerOf(type)(object)),
  };
}

/** The class that `@Type` names for a member: what class-transformer makes of an object there. */
function typeOf(dto: ClassConstructor<object>, name: string): ClassConstructor<object> | undefined {
  const made = (plainToInstance(dto, { [name]: {} }) as Record<string, object>)[name]?.constructor;
  return made === undefined || made === Object ? undefined : (made as ClassConstructor<object>);
}

/** Whether class-transformer makes something else of what a member holds. */
function isTransformed(dto: ClassConstructor<object>, name: string): boolean {
  const probe = 'as it is';
  return (plainToInstance(dto, { [name]: probe }) as Record<string, unknown>)[name] !== probe;
}

function checkOf({ constraintCls, constraints, each, propertyName: property }: Decorator): Check {
  const validators = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  // One for all values, and not kept behind a look: one for each would be 3 KB of garbage a message, which has thirty members.
  const given: ValidationArguments = {
    targetName: '',
    property,
    object: NOTHING,
    value: undefined,
    constraints: constraints as unknown[],
  };
  const holds = (one: unknown): boolean => {
    // A validator that answers with a promise has not said yes here.
    for (const { instance } of validators) if (instance.validate(one, given) !== true) return false;
    return true;
  };
  return (object, value) => {
    given.object = object;
    given.value = value;
    const hold = each ? Array.isArray(value) && value.every(holds) : holds(value);
    given.object = NOTHING;
    given.value = undefined;
    return hold;
  };
}

const NOTHING = {};

interface Shape {
  readonly dto: ClassConstructor<object>;
  readonly members: ReadonlyMap<string, Member>;
  /** Those that have to be looked at where the input lacks them. */
  readonly always: readonly (readonly [name: string, member: Member])[];
}

/** By what the input has: a message may have thirty members, and has seven. */
function read(input: object, { dto, members, always }: Shape): object | undefined {
  const params = Object.assign(new dto(), input) as Record<string, unknown>;
  for (const name of Object.keys(input)) {
    const member = members.get(name);
    if (member === undefined || !readMember(params, name, member)) return undefined;
  }
  for (const [name, member] of always) {
    if (!Object.hasOwn(input, name) && !readMember(params, name, member)) return undefined;
  }
  return params;
}

/** Puts one member in shape; false where it is not plainly sound. */
function readMember(params: Record<string, unknown>, name: string, { conditions, checks, nested }: Member): boolean {
  const value = params[name];
  if (!allHold(conditions, params, value)) return true;
  if (!allHold(checks, params, value)) return false;
  if (nested === undefined || value === undefined) return true;
  const inner = Array.isArray(value) ? readAll(value, nested) : readOne(value, nested);
  if (inner === undefined) return false;
  params[name] = inner;
  return true;
}

/** A loop and no closures: it runs for each member of each message. */
function allHold(checks: readonly Check[], params: object, value: unknown): boolean {
  for (const holds of checks) if (!holds(params, value)) return false;
  return true;
}

function readAll(values: readonly unknown[], reader: Reader): readonly object[] | undefined {
  const all = values.map((value) => readOne(value, reader));
  return all.includes(undefined) ? undefined : (all as readonly object[]);
}

function readOne(value: unknown, reader: Reader): object | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? reader(value) : undefined;
}
