import type { A2AErrorName } from '../model/errors.js';

/** HTTP status of each fault on the HTTP+JSON bindings, as A2A 1.0.1 has it (§5.4, TRAP-01). */
export const REST_HTTP_STATUS: Readonly<Record<A2AErrorName, number>> = {
  TaskNotFound: 404,
  TaskNotCancelable: 400,
  PushNotificationNotSupported: 400,
  UnsupportedOperation: 400,
  ContentTypeNotSupported: 400,
  InvalidAgentResponse: 500,
  ExtendedAgentCardNotConfigured: 400,
  ExtensionSupportRequired: 400,
  VersionNotSupported: 400,
  ParseError: 400,
  InvalidRequest: 400,
  MethodNotFound: 404,
  InvalidParams: 400,
  InternalError: 500,
  RequestTooLarge: 413,
  Unauthenticated: 401,
  PermissionDenied: 403,
  RateLimited: 429,
  Unavailable: 503,
};
