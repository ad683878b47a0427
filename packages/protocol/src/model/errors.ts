/** Every error that callers can get, by the spec's name. The bindings map them to codes. */
export const A2A_ERROR_NAMES = [
  'TaskNotFound',
  'TaskNotCancelable',
  'PushNotificationNotSupported',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
  'InvalidAgentResponse',
  'ExtendedAgentCardNotConfigured',
  'ExtensionSupportRequired',
  'VersionNotSupported',
  'ParseError',
  'InvalidRequest',
  'MethodNotFound',
  'InvalidParams',
  'InternalError',
  'RequestTooLarge',
  'Unauthenticated',
  'PermissionDenied',
  'RateLimited',
  'Unavailable',
] as const;

export type A2AErrorName = (typeof A2A_ERROR_NAMES)[number];

/** One wrong field of the request, by its path (`message.parts[0]`), and why (google.rpc.BadRequest). */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface A2AErrorDetails {
  readonly violations?: readonly FieldViolation[];
  /** Facts for machines; string to string (google.rpc.ErrorInfo). */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/**
 * Thrown to answer a call with an error of A2A; each binding translates it. The message is written for the client: put
 * nothing internal in it.
 */
export class A2AError extends Error {
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly kind: A2AErrorName,
    message: string,
    details: A2AErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = `A2AError.${kind}`;
    this.violations = details.violations ?? [];
    this.metadata = details.metadata ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The same answer for a missing, deleted or foreign task (A2A-ERR-04). */
export function taskNotFound(): A2AError {
  return new A2AError('TaskNotFound', 'Task not found');
}

export function invalidParams(violations: readonly FieldViolation[]): A2AError {
  const first = violations[0];
  const message =
    first === undefined ? 'Invalid parameters' : `Invalid parameters: ${first.field}: ${first.description}`;
  return new A2AError('InvalidParams', message, { violations });
}
