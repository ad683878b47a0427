import { ConfigError } from '../config-error.js';

/** Reads what a variable holds. Throws a `ConfigError` that names the variable when `read` cannot. */
export function ofVariable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
