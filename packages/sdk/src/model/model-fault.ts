/** Why a model has given no answer. */
export type ModelFaultKind =
  /** Not reachable, overloaded, or broken off: another attempt may succeed. */
  | 'unavailable'
  /** Credentials, model or request are not accepted: another attempt changes nothing. */
  | 'refused'
  /** The answer cannot be read. */
  | 'malformed';

/** A model has given no answer. The message is for operators: it holds no prompt and no answer. */
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

  /** How long the model asks to be left alone. */
  readonly retryAfterMs: number | undefined;
}
