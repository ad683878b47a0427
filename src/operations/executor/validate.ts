import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { type BrokenMember, brokenMembers } from '@parley/sdk/validation/broken-members.js';
import { type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import { isSound } from './sound-params.js';

/** Params of an operation: class-validator only checks input that the compiled check of its class does not accept. */
export async function operationParams<T extends object>(dto: ClassConstructor<T>, input: unknown): Promise<T> {
  return isSound(dto, input) ? input : validParams(dto, input);
}

/**
 * Converts unknown input to params, or throws InvalidParams with a path for every wrong field. Drops unknown fields, as
 * the protocol requires (A2A-JSON-04).
 */
export async function validParams<T extends object>(dto: ClassConstructor<T>, input: unknown): Promise<T> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidParams([{ field: 'params', description: 'must be an object' }]);
  }
  const params = plainToInstance(dto, input);
  const errors = await validate(params, {
    whitelist: true,
    forbidUnknownValues: true,
    validationError: { target: false },
  });
  if (errors.length > 0) throw invalidParams(brokenMembers(errors).flatMap(violationsOf));
  return params;
}

/** `content` is not a member of a part; it represents the part itself (see `ExactlyOneContent`). */
function violationsOf(member: BrokenMember): readonly FieldViolation[] {
  const field = member.path.replaceAll(/\.content(?!\w)/g, '');
  return descriptionsOf(member).map((description) => ({ field, description }));
}

/** Rules about the kind of a value: after one of these no other rule of the member can hold. */
const KINDS = ['isString', 'isArray', 'isObject', 'isInt', 'isBoolean', 'isBytes', 'nestedValidation'];

/** The faults of a member: missing, else of a wrong kind, else every broken rule. */
function descriptionsOf({ constraints, value, property }: BrokenMember): readonly string[] {
  const broken = Object.entries(constraints);
  const isMissing = (value === undefined || value === null) && constraints.exactlyOneContent === undefined;
  if (isMissing) return ['is required'];
  const kinds = broken.filter(([rule]) => KINDS.includes(rule)).slice(0, 1);
  return (kinds.length > 0 ? kinds : broken).map(([, text]) => withoutName(text, property));
}

/** class-validator's texts begin with the member's name, which the path has already. */
function withoutName(text: string, property: string): string {
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}
