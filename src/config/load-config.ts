import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ConfigError } from './config-error.js';
import { Environment } from './environment.js';
import { withSecretFiles } from './secret-files.js';
import { withoutCredentials } from './redis-address.js';

/** Reads and checks the variables. Empty ones count as absent. Throws a `ConfigError` with a line for each that is wrong. */
export function loadConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Environment {
  const given = Object.entries(withSecretFiles(variables)).filter(([, value]) => value !== undefined && value !== '');
  const environment = plainToInstance(Environment, Object.fromEntries(given), { exposeDefaultValues: true });
  const errors = validateSync(environment, { whitelist: true, validationError: { target: false } });
  if (errors.length === 0) return environment;
  const lines = errors.map(({ property, constraints }) => {
    const reasons = Object.values(constraints ?? {}).map((reason) => reason.replace(`${property} `, ''));
    const given = variables[property] ?? '';
    const shown = property === 'REDIS_URL' ? withoutCredentials(given) : given;
    return `${property} ${reasons.join(' and ')} (it is "${shown}")`;
  });
  throw new ConfigError(lines.join('\n'));
}
