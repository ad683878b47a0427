import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { brokenMembers } from '../platform/validation/broken-members.js';
import { PolicyFileDto } from './dto/policy-file.dto.js';

/** Reads a policy. Throws an error that names every member that is wrong or unknown, and a name that two rules have. */
export function readPolicy(text: string): PolicyFileDto {
  const file = plainToInstance(PolicyFileDto, jsonObject(text));
  const errors = validateSync(file, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false },
  });
  const faults = brokenMembers(errors).flatMap(({ path, constraints }) =>
    Object.values(constraints).map((reason) => `${path}: ${reason}`),
  );
  if (faults.length > 0) throw new Error(faults.join('; '));
  const names = [...(file.intents ?? []), ...(file.memory ?? [])].map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two rules have the name "${twice}"`);
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
