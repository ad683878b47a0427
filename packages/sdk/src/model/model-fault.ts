/** Why a model has given no answer. */
export type ModelFaultKind =
  /** Not reachable, overloaded, or broken off: another attempt may succeed. */
  | 'unavailable'
  /** The account has no capacity now, and says when: the call waits until then. */
  | 'rate'
  /** The account has no money or quota left: waiting changes nothing, another provider may have some. */
  | 'spent'
  /** Credentials, model or request are not accepted: another attempt changes nothing. */
  | 'refused'
  /** The request is longer than what the model reads. */
  | 'too-long'
  /** The provider's filter has refused the request. */
  | 'filtered'
  /** The answer cannot be read. */
  | 'malformed';

/**
 * Thrown by a model that gives no answer; `kind` decides whether another attempt is made. The message is for
 * operators: put no prompt and no answer in it.
 */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';

  constructor(
    readonly kind: ModelFaultKind,
    message: string,
    options?: ErrorOptions & { readonly retryAfterMs?: number },
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }

  /** How long the model asks to be left alone, ms. */
  readonly retryAfterMs: number | undefined;
}
