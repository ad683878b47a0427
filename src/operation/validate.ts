import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { type FieldViolation, invalidParams } from '../protocol/errors.js';
import { soundParams } from './sound-params.js';

/**
 * Makes params of unknown input, or throws InvalidParams with a path for every wrong field. Unknown fields are dropped,
 * as the protocol asks (A2A-JSON-04).
 */
export async function validParams<T extends object>(dto: ClassConstructor<T>, input: unknown): Promise<T> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidParams([{ field: 'params', description: 'must be an object' }]);
  }
  const sound = soundParams(dto, input);
  if (sound !== undefined) return sound;
  const params = plainToInstance(dto, input);
  const errors = await validate(params, {
    whitelist: true,
    forbidUnknownValues: true,
    validationError: { target: false },
  });
  if (errors.length > 0) throw invalidParams(errors.flatMap((error) => violations(error, '')));
  return params;
}

function violations(error: ValidationError, parent: string): readonly FieldViolation[] {
  const field = pathOf(error.property, parent);
  const own = descriptionsOf(error).map((description) => ({ field, description }));
  return [...own, ...(error.children ?? []).flatMap((child) => violations(child, field))];
}

/** Rules about what a value is: one that fails says all, since no other rule of the member can hold then. */
const KINDS = ['isString', 'isArray', 'isObject', 'isInt', 'isBoolean', 'isBase64', 'nestedValidation'];

/** The violations of a member: missing, else wrong type, else all failed rules. */
function descriptionsOf({ constraints = {}, value, property }: ValidationError): readonly string[] {
  const broken = Object.entries(constraints);
  if (broken.length === 0) return [];
  const isMissing = (value === undefined || value === null) && constraints.exactlyOneContent === undefined;
  if (isMissing) return ['is required'];
  const kinds = broken.filter(([rule]) => KINDS.includes(rule)).slice(0, 1);
  return (kinds.length > 0 ? kinds : broken).map(([, text]) => withoutName(text, property));
}

/** class-validator's texts begin with the name of the member, which the path has already. */
function withoutName(text: string, property: string): string {
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}

/** `content` is not a member of a part; it means the part itself (see `ExactlyOneContent`). */
function pathOf(property: string, parent: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  if (parent === '') return property;
  return property === 'content' ? parent : `${parent}.${property}`;
}
