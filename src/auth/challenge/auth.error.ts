import { A2AError } from '@parley/protocol/model/errors.js';

/** The faults of RFC 6750 §3.1 for bindings: no or bad credentials, insufficient scope, a malformed request. */
export type AuthErrorKind = 'Unauthenticated' | 'PermissionDenied' | 'InvalidRequest';

/**
 * A caller is refused. The binding writes each of `challenges` as a `WWW-Authenticate` header (HTTP) or as
 * `www-authenticate` metadata (gRPC); `reason` is the exact cause, for the log only.
 */
export class AuthError extends A2AError {
  constructor(
    kind: AuthErrorKind,
    message: string,
    readonly challenges: readonly string[],
    readonly reason: string,
  ) {
    super(kind, message);
  }
}
