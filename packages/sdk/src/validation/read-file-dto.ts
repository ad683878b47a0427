import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { brokenMembers } from './broken-members.js';

/**
 * Reads the text of an operator's file as an instance of its DTO.
 * Throws an error that names every member that is wrong or unknown.
 */
export function readFileDto<T extends object>(type: ClassConstructor<T>, text: string): T {
  return readDto(type, parsed(text), '');
}

/**
 * The same of a value in a file that holds more than one. @param path of the value in its file
 */
export function readDto<T extends object>(type: ClassConstructor<T>, value: unknown, path: string): T {
  if (!isJsonObject(value))
    throw new Error(path === '' ? 'it must hold a JSON object' : `${path} must be a JSON object`);
  const file = plainToInstance(type, value);
  const errors = validateSync(file, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false },
  });
  const faults = brokenMembers(errors, path).flatMap(({ path, constraints }) =>
    Object.values(constraints).map((reason) => `${path}: ${reason}`),
  );
  if (faults.length > 0) throw new Error(faults.join('; '));
  return file;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
}

function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
