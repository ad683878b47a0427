import type { A2AError, FieldViolation } from '../model/errors.js';
import { ERROR_DOMAIN, ERROR_REASONS } from '../binding/error-reasons.js';

/** One entry of `error.data` (JSON-RPC) or `error.details` (REST): a ProtoJSON `google.protobuf.Any`. */
export type ErrorDetail =
  | {
      readonly '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
      readonly reason: string;
      readonly domain: string;
      readonly metadata: Readonly<Record<string, string>>;
    }
  | {
      readonly '@type': 'type.googleapis.com/google.rpc.BadRequest';
      readonly fieldViolations: readonly FieldViolation[];
    }
  | { readonly '@type': 'type.googleapis.com/google.rpc.RetryInfo'; readonly retryDelay: string };

/** Machine-readable details of a fault: ErrorInfo always, BadRequest and RetryInfo where there is something to say (A2A 1.0 §9.5). */
export function errorDetails(error: A2AError): readonly ErrorDetail[] {
  const details: ErrorDetail[] = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: ERROR_REASONS[error.kind],
      domain: ERROR_DOMAIN,
      metadata: error.metadata,
    },
  ];
  if (error.violations.length > 0) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: error.violations });
  }
  if (error.retryAfterSeconds !== undefined) {
    const retryDelay = `${String(error.retryAfterSeconds)}s`;
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });
  }
  return details;
}
