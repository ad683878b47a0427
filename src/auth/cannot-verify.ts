/** A credential that can be neither accepted nor refused, because the source to check it against is unreachable. */
export class CannotVerify extends Error {
  override readonly name = 'CannotVerify';

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
