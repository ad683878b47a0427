import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { faultHeaders } from '../errors.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { GRPC_STATUS } from '@parley/protocol/binding/grpc-status.js';
import { errorDetails } from '@parley/protocol/v1_0/error-details.js';
import { bytesOf, STATUS } from './schema/schema.js';

/** The trailer that carries an encoded google.rpc.Status. */
const DETAILS = 'grpc-status-details-bin';

/**
 * A fault in gRPC form: status, text, the typed details in the trailers (A2A 1.0 §10.6, A2A-GRPC-03), and the
 * challenges and limits that HTTP has in headers.
 */
export function grpcError(error: A2AError): ServiceError {
  const code = status[GRPC_STATUS[error.kind]];
  const { message } = error;
  const metadata = new Metadata();
  const details = JSON.parse(JSON.stringify(errorDetails(error))) as [];
  for (const [name, value] of Object.entries(faultHeaders(error))) metadata.set(name, value);
  metadata.set(DETAILS, bytesOf(STATUS, { code, message, details }));
  return Object.assign(new Error(message), { code, details: message, metadata });
}
