import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { type BrokenMember, brokenMembers } from '../validation/broken-members.js';
import { ConfigError } from './config-error.js';
import { isSecret, type Variables } from './secret-files.js';

/**
 * Variables as an instance of a settings class, whose members have their names. Empty ones count as absent. Throws a
 * `ConfigError` with a line for each that is wrong; what may hold a secret is not repeated in it.
 */
export function settingsOf<T extends object>(type: new () => T, variables: Variables = process.env): T {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  const settings = plainToInstance(type, Object.fromEntries(given), { exposeDefaultValues: true });
  const errors = validateSync(settings, { whitelist: true, validationError: { target: false } });
  if (errors.length === 0) return settings;
  throw new ConfigError(
    brokenMembers(errors)
      .map((member) => lineOf(member, variables))
      .join('\n'),
  );
}

/** The variables that a settings class reads. */
export function variableNamesOf(type: new () => object): readonly string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

function lineOf({ property, constraints }: BrokenMember, variables: Variables): string {
  const reasons = Object.values(constraints).map((reason) => reason.replace(`${property} `, ''));
  const line = `${property} ${reasons.join(' and ')}`;
  // An address may have a user and a password before its host.
  if (isSecret(property) || 'isUrl' in constraints) return line;
  return `${line} (it is "${variables[property] ?? ''}")`;
}
