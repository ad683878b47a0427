/** A credential that can be neither accepted nor refused, because what it is checked against cannot be reached. */
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
