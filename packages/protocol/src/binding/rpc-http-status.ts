import type { A2AErrorName } from '../model/errors.js';

/**
 * HTTP status of a JSON-RPC answer that holds an error: 200, except where HTTP itself has to say something to proxies
 * and client libraries (A2A-RPC-09).
 */
export function rpcHttpStatus(kind: A2AErrorName): number {
  switch (kind) {
    case 'Unauthenticated':
      return 401;
    case 'PermissionDenied':
      return 403;
    case 'RequestTooLarge':
      return 413;
    case 'RateLimited':
      return 429;
    case 'Unavailable':
      return 503;
    case 'TaskNotFound':
    case 'TaskNotCancelable':
    case 'PushNotificationNotSupported':
    case 'UnsupportedOperation':
    case 'ContentTypeNotSupported':
    case 'InvalidAgentResponse':
    case 'ExtendedAgentCardNotConfigured':
    case 'ExtensionSupportRequired':
    case 'VersionNotSupported':
    case 'ParseError':
    case 'InvalidRequest':
    case 'MethodNotFound':
    case 'InvalidParams':
    case 'InternalError':
      return 200;
  }
}
