import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { brokenMembers } from './broken-members.js';

/**
 * Reads the text of an operator's file as an instance of its DTO.
 * Throws an error that names every member that is wrong or unknown.
 */
export function readFileDto<T extends object>(type: ClassConstructor<T>, text: string): T {
  const file = plainToInstance(type, jsonObject(text));
  const errors = validateSync(file, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false },
  });
  const faults = brokenMembers(errors).flatMap(({ path, constraints }) =>
    Object.values(constraints).map((reason) => `${path}: ${reason}`),
  );
  if (faults.length > 0) throw new Error(faults.join('; '));
  return file;
}

function jsonObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('it must hold a JSON object');
}
