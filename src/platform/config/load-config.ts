import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { type BrokenMember, brokenMembers } from '../validation/broken-members.js';
import { ConfigError } from './config-error.js';
import { Environment } from './environment.js';
import { isSecret, type Variables, withSecretFiles } from './secret-files.js';

/**
 * Reads and checks the variables. Empty ones count as absent. Throws a `ConfigError` with a line for each that is wrong;
 * what may hold a secret is not repeated in it.
 */
export function loadConfig(variables: Variables = process.env): Environment {
  const given = Object.entries(withSecretFiles(variables)).filter(([, value]) => value !== undefined && value !== '');
  const environment = plainToInstance(Environment, Object.fromEntries(given), { exposeDefaultValues: true });
  const errors = validateSync(environment, { whitelist: true, validationError: { target: false } });
  if (errors.length === 0) return environment;
  throw new ConfigError(
    brokenMembers(errors)
      .map((member) => lineOf(member, variables))
      .join('\n'),
  );
}

function lineOf({ property, constraints }: BrokenMember, variables: Variables): string {
  const reasons = Object.values(constraints).map((reason) => reason.replace(`${property} `, ''));
  const line = `${property} ${reasons.join(' and ')}`;
  // An address may have a user and a password before its host.
  if (isSecret(property) || 'isUrl' in constraints) return line;
  return `${line} (it is "${variables[property] ?? ''}")`;
}
