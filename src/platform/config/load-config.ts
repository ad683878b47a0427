import { Environment } from './environment.js';
import { type Variables, withSecretFiles } from './secret-files.js';
import { settingsOf } from './settings.js';

/**
 * Reads and checks the variables of the service, with secrets from files. Throws a `ConfigError` with a line for each
 * that is wrong.
 */
export function loadConfig(variables: Variables = process.env): Environment {
  return settingsOf(Environment, withSecretFiles(variables));
}
