import { readFileSync } from 'node:fs';
import { ConfigError } from '../config-error.js';

/** Variables that hold secrets: each may be given as `<name>_FILE`, the path of a file that holds it. */
export const SECRETS = ['REDIS_URL', 'SECRET_KEYS', 'API_KEYS', 'CARD_SIGNING_KEYS', 'MODEL_KEY'] as const;

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
  const read = SECRETS.flatMap((name) => {
    const path = variables[`${name}_FILE`];
    if (path === undefined || path === '') return [];
    if ((variables[name] ?? '') !== '')
      throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them`);
    return [[name, contentOf(path, `${name}_FILE`)] as const];
  });
  return { ...variables, ...Object.fromEntries(read) };
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${name} cannot be read: ${reason}`, { cause });
  }
}
