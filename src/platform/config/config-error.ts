/** A variable that cannot be used. Its message names the variable and is for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
