import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';

/** A caller, as the log names it. */
export interface AuditCaller {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  /** The parties that the subject has delegated to, the latest first. */
  readonly actors?: readonly string[];
  /** The caller's means of authentication. */
  readonly method: string;
}

/** One audited decision: caller, operation, task and outcome (A2A-SEC-06). Holds no bodies and no secrets. */
export interface AuditEntry {
  /** Absent when the caller could not be known. */
  readonly caller?: AuditCaller;
  /** Absent for a decision of a task that runs. */
  readonly address?: string;
  /** Absent when the call was refused before it was known what it wants. */
  readonly operation?: OperationName;
  /** What an operator did, where it is no operation of the protocol: `task.cancel`. */
  readonly action?: string;
  /** Why, in the operator's words. */
  readonly why?: string | undefined;
  readonly taskId?: string | undefined;
  /** The registered agent that an action is about, by its identifier. */
  readonly agent?: string | undefined;
  /** The error's name; absent when the call was done. */
  readonly code?: A2AErrorName | undefined;
  /** Why a credential was refused; words of ours, nothing of the credential. */
  readonly reason?: string;
  readonly requestId?: string;
  /** The skill that was decided about. */
  readonly skill?: string;
  /** The skill that called it for the service itself, as `service://<id>`: its caller may not. */
  readonly actsAs?: string;
  /** The name of a key of memory that the caller does not get. */
  readonly withheld?: string;
}

/** `denied`: not authenticated, not allowed or over a limit. `failed`: any other error. */
export type AuditResult = 'done' | 'denied' | 'failed';

const DENIALS: readonly A2AErrorName[] = ['Unauthenticated', 'PermissionDenied', 'RateLimited'];

/** The audit result of a call, from its error if there was one. */
export function auditResult(code: A2AErrorName | undefined): AuditResult {
  if (code === undefined) return 'done';
  return DENIALS.includes(code) ? 'denied' : 'failed';
}
