/** The reason why a request to a tool server has no result. */
export type ToolErrorKind =
  /** Nothing was sent: no such name, no connection, no process. */
  | 'unsent'
  /** The egress rules of this service forbid the address; nothing was sent. */
  | 'blocked'
  /** It was sent, and the connection broke, or no answer came in time. */
  | 'lost'
  /** The credential is missing, wrong or insufficient. */
  | 'auth'
  /** The server has no capacity and has done nothing: 429, 503. */
  | 'busy'
  /** The server answered with an error. */
  | 'refused'
  /** The answer breaks the protocol or a bound. */
  | 'invalid-answer';

export interface ToolErrorDetails {
  /** Code of the JSON-RPC error. */
  readonly code?: number | undefined;
  /** Status of HTTP. */
  readonly status?: number | undefined;
  readonly data?: unknown;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failed request to a tool server. The message may contain truncated text of the server. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: number | undefined;
  readonly status: number | undefined;
  readonly data: unknown;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind: ToolErrorKind,
    message: string,
    { code, status, data, retryAfterMs, cause }: ToolErrorDetails = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.data = data;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error of an answer that breaks the protocol. */
export function badAnswer(why: string, cause?: unknown): ToolError {
  return new ToolError('invalid-answer', why, { cause });
}
