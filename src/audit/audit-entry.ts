import type { A2AErrorName } from '../protocol/errors.js';
import type { OperationName } from '../protocol/operations.js';

/** A caller, as the log names it. */
export interface AuditCaller {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  /** How the caller proved who it is. */
  readonly method: string;
}

/** One decision: who did what to which task, and what came of it (A2A-SEC-06). Holds no bodies and no secrets. */
export interface AuditEntry {
  /** Absent when the caller could not be known. */
  readonly caller?: AuditCaller;
  readonly address: string;
  /** Absent when the call was refused before it was known what it wants. */
  readonly operation?: OperationName;
  readonly taskId?: string;
  /** `denied`: not let in, not allowed or over a limit. `failed`: any other error. */
  readonly result: 'done' | 'denied' | 'failed';
  /** The error's name when there was one. */
  readonly code?: A2AErrorName;
  /** Why a credential was refused; words of ours, nothing of the credential. */
  readonly reason?: string;
  readonly requestId?: string;
}

const DENIALS: readonly A2AErrorName[] = ['Unauthenticated', 'PermissionDenied', 'RateLimited'];

/** Whether an error means that the caller was turned away, rather than that the call went wrong. */
export function isDenial(code: A2AErrorName): boolean {
  return DENIALS.includes(code);
}
