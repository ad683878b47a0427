/** The reason why the embedded Redis could not be started. */
export type EmbeddedRedisFault =
  'data-folder-not-writable' | 'data-folder-in-use' | 'no-usable-server' | 'start-failed';

/** The embedded Redis could not be started. The message is one line for the operator, with the fix. */
export class EmbeddedRedisError extends Error {
  override readonly name = 'EmbeddedRedisError';

  constructor(
    readonly fault: EmbeddedRedisFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
