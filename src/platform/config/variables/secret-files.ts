import { readFileSync } from 'node:fs';
import { ConfigError } from '../config-error.js';

/** Variables that hold secrets: each may be given as `<name>_FILE`, the path of a file that holds it. */
export const SECRETS = ['REDIS_URL', 'SECRET_KEYS', 'API_KEYS', 'CARD_SIGNING_KEYS', 'MODEL_KEY'] as const;

type SecretName = (typeof SECRETS)[number];

/** The files of secrets, by their variables. */
export type SecretPaths = Readonly<Partial<Record<SecretName, string>>>;

/** Variables as a process is given them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Whether a variable holds secrets, so that its value must not be repeated anywhere. */
export function isSecret(name: string): boolean {
  return SECRETS.some((secret) => secret === name);
}

/**
 * The variables with the contents of their `_FILE` files, without the final line end. Throws a `ConfigError` that names
 * the variable if a file cannot be read, or if a secret is set twice.
 */
export function withSecretFiles(variables: Variables): Variables {
  const read = Object.entries(secretPaths(variables)).map(([name, path]) => {
    if ((variables[name] ?? '') !== '')
      throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them`);
    return [name, contentOf(path, `${name}_FILE`)] as const;
  });
  return { ...variables, ...Object.fromEntries(read) };
}

export function secretPaths(variables: Variables): SecretPaths {
  const given = SECRETS.map((name) => [name, variables[`${name}_FILE`] ?? ''] as const);
  return Object.fromEntries(given.filter(([, path]) => path !== ''));
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${name} cannot be read: ${reason}`, { cause });
  }
}
