/** An unusable variable. The message names the variable and is meant for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The results of several readers. @throws ConfigError with the faults of all of them, not of the first only */
export function readAll<const T extends readonly (() => unknown)[]>(
  ...readers: T
): { readonly [At in keyof T]: ReturnType<T[At]> } {
  const faults: string[] = [];
  const results = readers.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return faults.push(error.message);
    }
  });
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return results as { readonly [At in keyof T]: ReturnType<T[At]> };
}
