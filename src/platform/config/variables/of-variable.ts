import { ConfigError } from '../config-error.js';

/** Parses the value of a variable. Throws a `ConfigError` that names the variable when `read` throws. */
export function ofVariable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
