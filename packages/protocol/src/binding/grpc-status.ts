import type { A2AErrorName } from '../model/errors.js';

/** Numbers of the gRPC status names that A2A faults use (google.rpc.Code). */
export const GRPC_CODES = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type GrpcStatusName = keyof typeof GRPC_CODES;

/**
 * gRPC status of each fault, as A2A 1.0.1 has it (§5.4; 1.0.0 differed in five rows, TRAP-01). REST error bodies carry
 * the same names (§11.6).
 */
export const GRPC_STATUS: Readonly<Record<A2AErrorName, GrpcStatusName>> = {
  TaskNotFound: 'NOT_FOUND',
  TaskNotCancelable: 'FAILED_PRECONDITION',
  PushNotificationNotSupported: 'FAILED_PRECONDITION',
  UnsupportedOperation: 'FAILED_PRECONDITION',
  ContentTypeNotSupported: 'INVALID_ARGUMENT',
  InvalidAgentResponse: 'INTERNAL',
  ExtendedAgentCardNotConfigured: 'FAILED_PRECONDITION',
  ExtensionSupportRequired: 'FAILED_PRECONDITION',
  VersionNotSupported: 'FAILED_PRECONDITION',
  ParseError: 'INVALID_ARGUMENT',
  InvalidRequest: 'INVALID_ARGUMENT',
  MethodNotFound: 'UNIMPLEMENTED',
  InvalidParams: 'INVALID_ARGUMENT',
  InternalError: 'INTERNAL',
  RequestTooLarge: 'INVALID_ARGUMENT',
  Unauthenticated: 'UNAUTHENTICATED',
  PermissionDenied: 'PERMISSION_DENIED',
  RateLimited: 'RESOURCE_EXHAUSTED',
  Unavailable: 'UNAVAILABLE',
};

/** The gRPC status number of a fault. */
export function grpcCode(kind: A2AErrorName): number {
  return GRPC_CODES[GRPC_STATUS[kind]];
}
