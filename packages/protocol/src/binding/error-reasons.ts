import type { A2AErrorName } from '../model/errors.js';

/** The domain of every `google.rpc.ErrorInfo` that A2A defines (A2A 1.0 §9.5, §11.6). */
export const ERROR_DOMAIN = 'a2a-protocol.org';

/** `google.rpc.ErrorInfo.reason` of each fault: the same on every binding and in every dialect (A2A-ERR-02). */
export const ERROR_REASONS: Readonly<Record<A2AErrorName, string>> = {
  TaskNotFound: 'TASK_NOT_FOUND',
  TaskNotCancelable: 'TASK_NOT_CANCELABLE',
  PushNotificationNotSupported: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  UnsupportedOperation: 'UNSUPPORTED_OPERATION',
  ContentTypeNotSupported: 'CONTENT_TYPE_NOT_SUPPORTED',
  InvalidAgentResponse: 'INVALID_AGENT_RESPONSE',
  ExtendedAgentCardNotConfigured: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ExtensionSupportRequired: 'EXTENSION_SUPPORT_REQUIRED',
  VersionNotSupported: 'VERSION_NOT_SUPPORTED',
  ParseError: 'INVALID_REQUEST',
  InvalidRequest: 'INVALID_REQUEST',
  MethodNotFound: 'METHOD_NOT_FOUND',
  InvalidParams: 'INVALID_PARAMS',
  InternalError: 'INTERNAL_ERROR',
  RequestTooLarge: 'REQUEST_TOO_LARGE',
  Unauthenticated: 'UNAUTHENTICATED',
  PermissionDenied: 'PERMISSION_DENIED',
  RateLimited: 'RATE_LIMITED',
  Unavailable: 'UNAVAILABLE',
};
