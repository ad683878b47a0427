import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import type { RemoteFault } from '@parley/protocol/remote/remote-fault.js';

/** Why a call to another agent has no answer. */
export type RemoteErrorKind =
  /** Its name, port, certificate or connection is broken; it may work later. */
  | 'unreachable'
  /** The egress rules of this service forbid the address. */
  | 'blocked'
  /** No answer in time; the call may have had its effect. */
  | 'timeout'
  /** Its credentials are missing, wrong or not enough. */
  | 'auth'
  /** It has no capacity now: 408, 429, 5xx. */
  | 'busy'
  /** Nothing was sent: its calls keep failing. */
  | 'left-alone'
  /** It answered with an error of the protocol, or another refusal that repeating does not change. */
  | 'refused'
  /** Its answer breaks the protocol or a bound in bytes. */
  | 'invalid-answer'
  /** Its card has no interface that this client speaks, or not the capability. */
  | 'unsupported';

const RETRYABLE: readonly RemoteErrorKind[] = ['unreachable', 'timeout', 'busy', 'left-alone'];

export interface RemoteErrorDetails {
  readonly status?: number | undefined;
  readonly fault?: RemoteFault | undefined;
  readonly retryAfterMs?: number | undefined;
  /** It failed before anything was sent to the agent. */
  readonly isUnsent?: boolean;
  readonly cause?: unknown;
}

/**
 * Thrown when a call to another agent fails. `kind` and `isUnsent` decide whether it may be repeated. The message may
 * repeat text of the agent, cut to a bound.
 */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly status: number | undefined;
  readonly fault: RemoteFault | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isUnsent: boolean;

  constructor(
    readonly kind: RemoteErrorKind,
    message: string,
    details: RemoteErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.fault = details.fault;
    this.isUnsent = details.isUnsent === true;
    this.retryAfterMs = details.retryAfterMs ?? details.fault?.retryAfterMs;
  }

  /** The fault of the protocol that the agent has answered. */
  get protocolFault(): A2AErrorName | undefined {
    return this.fault?.kind;
  }

  /** Whether the same call may work later. */
  get isRetryable(): boolean {
    return RETRYABLE.includes(this.kind);
  }

  /** Whether the agent may have taken the call although there is no answer. */
  get isDoubtful(): boolean {
    if (this.isUnsent) return false;
    return (
      this.kind === 'unreachable' || this.kind === 'timeout' || this.kind === 'invalid-answer' || this.isServerFault
    );
  }

  private get isServerFault(): boolean {
    return (this.status ?? 0) >= 500 && this.status !== 503;
  }
}

/** The error of an answer that breaks the protocol. */
export function invalidAnswer(why: string, cause?: unknown): RemoteError {
  return new RemoteError('invalid-answer', why, { cause });
}
