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
  /** Absent when the caller could not be identified. */
  readonly caller?: AuditCaller;
  /** Absent for a decision inside a running task. */
  readonly address?: string;
  /** Absent when the call was refused before its operation was known. */
  readonly operation?: OperationName;
  /** The action of an operator that is not an operation of the protocol: `task.cancel`. */
  readonly action?: string;
  /** The operator's reason. */
  readonly why?: string | undefined;
  readonly taskId?: string | undefined;
  /** Identifier of the registered agent that the action concerns. */
  readonly agent?: string | undefined;
  /** The error's name; absent when the call succeeded. */
  readonly code?: A2AErrorName | undefined;
  /** Reason for refusing a credential; a constant text without any part of the credential. */
  readonly reason?: string;
  readonly requestId?: string;
  /** The skill that the decision concerns. */
  readonly skill?: string;
  /** The skill that called it on the service's behalf, as `service://<id>`; its caller has no permission. */
  readonly actsAs?: string;
  /** Name of a memory key that is withheld from the caller. */
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
