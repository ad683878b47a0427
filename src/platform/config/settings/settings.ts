import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { type BrokenMember, brokenMembers } from '@parley/sdk/validation/broken-members.js';
import { ConfigError } from '../config-error.js';
import { isSecret, type Variables } from '../variables/secret-files.js';
import { isVariable, type SettingsClass } from './setting.js';
import type { FileSection } from './settings-file.js';

/** The part of the settings file that belongs to a class: its name, and its members. */
export interface SectionOfFile {
  readonly name: string;
  readonly members: FileSection;
}

/**
 * An instance of a settings class from variables and the members of a section of parley.yaml. Empty variables count as
 * absent.
 * Throws a `ConfigError` with a line per fault, without the value of a secret or an address.
 */
export function settingsOf<T extends object>(
  type: SettingsClass<T>,
  variables: Variables = process.env,
  section?: SectionOfFile,
): T {
  const isOurs = (name: string): boolean => section === undefined || isVariable(name);
  const given = Object.entries(variables).filter(([name, value]) => isOurs(name) && (value ?? '') !== '');
  const values = { ...section?.members, ...Object.fromEntries(given) };
  const settings = plainToInstance(type, values, { exposeDefaultValues: true });
  const errors = validateSync(settings, { whitelist: true, validationError: { target: false } });
  const known = namesOf(type);
  const unknown = Object.keys(section?.members ?? {}).filter((name) => isVariable(name) || !known.includes(name));
  const lines = [
    ...unknown.map((name) => `${section?.name ?? ''}.${name} is no setting of parley.yaml`),
    ...brokenMembers(errors).map((member) => lineOf(member, variables, section?.name)),
  ];
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
  return settings;
}

/** The variables that a settings class reads. */
export function variableNamesOf(type: SettingsClass): readonly string[] {
  return namesOf(type).filter(isVariable);
}

function namesOf(type: SettingsClass): readonly string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

function lineOf({ path, property, constraints }: BrokenMember, variables: Variables, section = ''): string {
  const [root = ''] = path.split(/[.[]/);
  const reasons = Object.values(constraints).map((reason) => reason.replace(`${property} `, ''));
  if (section !== '' && !isVariable(root)) return `${section}.${path} of parley.yaml ${reasons.join(' and ')}`;
  const line = `${property} ${reasons.join(' and ')}`;
  // An address may have a user and a password before its host.
  if (isSecret(property) || 'isUrl' in constraints) return line;
  return `${line} (it is "${variables[property] ?? ''}")`;
}
