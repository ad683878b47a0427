import type { A2AError, A2AErrorName } from '../model/errors.js';
import type { RpcError } from '../codec/codec.js';
import { errorDetails } from './error-details.js';

/**
 * JSON-RPC code of each fault (A2A 1.0 §5.4, §9.5). A2A owns -32001 … -32099, so a fault without a code in it is
 * -32000, JSON-RPC's own "server error", distinguished by `ErrorInfo.reason`.
 */
export const RPC_CODES_V1: Readonly<Record<A2AErrorName, number>> = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  PushNotificationNotSupported: -32003,
  UnsupportedOperation: -32004,
  ContentTypeNotSupported: -32005,
  InvalidAgentResponse: -32006,
  ExtendedAgentCardNotConfigured: -32007,
  ExtensionSupportRequired: -32008,
  VersionNotSupported: -32009,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  RequestTooLarge: -32600,
  Unauthenticated: -32000,
  PermissionDenied: -32000,
  RateLimited: -32000,
  Unavailable: -32000,
};

/** The JSON-RPC error object of A2A 1.0; `data` is an array of typed details (A2A-RPC-08). */
export function rpcErrorV1(error: A2AError): RpcError {
  return { code: RPC_CODES_V1[error.kind], message: error.message, data: errorDetails(error) };
}
