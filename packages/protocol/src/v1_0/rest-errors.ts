import type { A2AError } from '../model/errors.js';
import { GRPC_STATUS, type GrpcStatusName } from '../binding/grpc-status.js';
import { REST_HTTP_STATUS } from '../binding/rest-http-status.js';
import { errorDetails, type ErrorDetail } from './error-details.js';

/** The body of a failed HTTP+JSON 1.0 call (A2A 1.0 §11.6, A2A-REST-03). */
export interface RestErrorBody {
  readonly error: {
    /** The HTTP status. */
    readonly code: number;
    readonly status: GrpcStatusName;
    readonly message: string;
    readonly details: readonly ErrorDetail[];
  };
}

/**
 * The HTTP+JSON 1.0 form of a fault. `httpStatus` is given where HTTP knows better than the protocol: 405, 415. An
 * unknown route is NOT_FOUND here, where gRPC says UNIMPLEMENTED; a known route without the method is UNIMPLEMENTED here, too.
 */
export function restErrorV1(error: A2AError, httpStatus: number = REST_HTTP_STATUS[error.kind]): RestErrorBody {
  const status = error.kind === 'MethodNotFound' && httpStatus === 404 ? 'NOT_FOUND' : GRPC_STATUS[error.kind];
  return { error: { code: httpStatus, status, message: error.message, details: errorDetails(error) } };
}
