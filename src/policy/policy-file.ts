import { readFileDto } from '@parley/sdk/validation/read-file-dto.js';
import { PolicyFileDto } from './dto/policy-file.dto.js';

/** Reads a policy. Throws an error that names every wrong or unknown member and every repeated rule name. */
export function readPolicy(text: string): PolicyFileDto {
  const file = readFileDto(PolicyFileDto, text);
  const names = [...(file.intents ?? []), ...(file.memory ?? []), ...(file.relays ?? [])].map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two rules have the name "${twice}"`);
  return file;
}
