import type { A2AError } from '../model/errors.js';
import type { RpcError } from '../codec/codec.js';
import { ERROR_REASONS } from '../binding/error-reasons.js';
import { withoutUnset } from '../json/json-value.js';

/** The error object of an older dialect: `data` is an object, never the array of 1.0 (TRAP-02). */
export function legacyRpcError(error: A2AError, code: number, metadata = error.metadata): RpcError {
  return { code, message: error.message, data: legacyErrorData(error, metadata) };
}

/** Machine-readable facts of a fault for older dialects, where `data` has no prescribed form. */
function legacyErrorData(error: A2AError, metadata: A2AError['metadata']): Readonly<Record<string, unknown>> {
  return withoutUnset({
    reason: ERROR_REASONS[error.kind],
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    fieldViolations: error.violations.length > 0 ? error.violations : undefined,
    retryAfterSeconds: error.retryAfterSeconds,
  });
}
