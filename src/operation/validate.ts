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
  const own = Object.values(error.constraints ?? {}).map((text) => ({ field, description: text }));
  return [...own, ...(error.children ?? []).flatMap((child) => violations(child, field))];
}

/** `content` is no member of a part, but stands for the part itself (see `ExactlyOneContent`). */
function pathOf(property: string, parent: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  if (parent === '') return property;
  return property === 'content' ? parent : `${parent}.${property}`;
}
