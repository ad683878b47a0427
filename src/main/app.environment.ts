import { ConfigError } from '../platform/config/config-error.js';
import { FileSettings } from '../platform/config/settings/files.settings.js';
import {
  type SecretPaths,
  secretPaths,
  withSecretFiles,
  type Variables,
} from '../platform/config/variables/secret-files.js';
import { processVariables } from '../platform/config/variables/process-variables.js';
import { ServiceSettings } from '../platform/config/settings/service.settings.js';
import { isVariable, type SettingsClass, settingsIn, type VariablesOf } from '../platform/config/settings/setting.js';
import { type FileSections, readSettingsFile } from '../platform/config/settings/settings-file.js';
import { settingsOf, variableNamesOf } from '../platform/config/settings/settings.js';
import { RedisSettings } from '../platform/redis/redis.settings.js';
import { TracingSettings } from '../platform/tracing/tracing.settings.js';
import { ModelSettings } from '../models/model.settings.js';
import { PushSettings } from '../webhooks/push.settings.js';
import { AuthSettings } from '../auth/auth.settings.js';
import { LimitSettings } from '../limits/limit.settings.js';
import { FEATURES } from './app.features.js';
import { sectionsOf } from '../http/binding/feature.js';
import { TaskSettings } from '../tasks/task.settings.js';

/** The settings of each feature, by its section in parley.yaml. */
export const SECTIONS = {
  service: ServiceSettings,
  redis: RedisSettings,
  tasks: TaskSettings,
  auth: AuthSettings,
  limits: LimitSettings,
  webhooks: PushSettings,
  files: FileSettings,
  models: ModelSettings,
  ...sectionsOf(FEATURES),
  tracing: TracingSettings,
} as const;

type SectionName = keyof typeof SECTIONS;
type Sections = { readonly [Name in SectionName]: InstanceType<(typeof SECTIONS)[Name]> };
type Together<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never;

/** All settings of the service: variables by their names, and the settings of each section by its name. */
export type Environment = Sections &
  Together<VariablesOf<Sections[SectionName]>> & {
    /** Files whose secrets are read again when they change. */
    readonly secretPaths: SecretPaths;
  };

/**
 * Reads and checks the variables of the service, with secrets from files, and parley.yaml. Throws a `ConfigError` with
 * a line per wrong setting. @param file content of parley.yaml; default: the file of PARLEY_FILE
 */
export function loadConfig(variables: Variables = processVariables(), file?: FileSections): Environment {
  const given = withSecretFiles(variables);
  const sections = file ?? readSettingsFile(given);
  const faults = [...movedFaults(given), ...unknownSections(sections)];
  const read = Object.entries<SettingsClass>(SECTIONS).map(([name, type]) => {
    try {
      return [name, settingsOf(type, given, { name, members: sections[name] ?? {} })] as const;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
      return [name, {}] as const;
    }
  });
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  const variablesOfAll = read.flatMap(([, settings]) => Object.entries(settings).filter(([name]) => isVariable(name)));
  return { ...Object.fromEntries([...variablesOfAll, ...read]), secretPaths: secretPaths(variables) } as Environment;
}

/** The variables that the service reads. */
export function knownVariables(): readonly string[] {
  return Object.values<SettingsClass>(SECTIONS).flatMap(variableNamesOf);
}

/** Variables of earlier versions that are now settings of the file. */
function movedFaults(variables: Variables): string[] {
  return Object.entries<SettingsClass>(SECTIONS).flatMap(([section, type]) =>
    settingsIn(type).flatMap(({ name, was }) =>
      was === undefined || (variables[was] ?? '') === '' ? [] : [`${was} is now ${section}.${name} of parley.yaml`],
    ),
  );
}

function unknownSections(sections: FileSections): readonly string[] {
  const unknown = Object.keys(sections).filter((name) => !Object.hasOwn(SECTIONS, name));
  return unknown.map((name) => `${name} is no section of parley.yaml: it has ${Object.keys(SECTIONS).join(', ')}`);
}
