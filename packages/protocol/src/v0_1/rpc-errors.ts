import type { A2AError, A2AErrorName } from '../model/errors.js';
import type { WireCall } from '../codec/codec.js';

/**
 * JSON-RPC code of each fault in 0.1 (v0.1 §8.2). Its numbers from -32006 on mean other things than in later versions,
 * and errors it does not define become UnsupportedOperation. An unauthenticated caller gets -32000 (SEED-05).
 */
const RPC_CODES_V01: Readonly<Record<A2AErrorName, number>> = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  PushNotificationNotSupported: -32003,
  UnsupportedOperation: -32004,
  ContentTypeNotSupported: -32005,
  InvalidAgentResponse: -32603,
  ExtendedAgentCardNotConfigured: -32004,
  ExtensionSupportRequired: -32004,
  VersionNotSupported: -32004,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  RequestTooLarge: -32600,
  Unauthenticated: -32000,
  PermissionDenied: -32008,
  RateLimited: -32010,
  Unavailable: -32011,
};

const STREAMING_NOT_SUPPORTED = -32006;
const INVALID_TASK_STATE = -32009;

/** The code of one error: 0.1 distinguishes three causes of an unsupported operation, and refused webhooks. */
export function rpcCodeV01(error: A2AError, call: WireCall | undefined): number {
  if (error.kind === 'InvalidParams' && error.violations.some(({ field }) => isWebhookUrl(field))) {
    return RPC_CODES_V01.UnsupportedOperation;
  }
  if (error.kind !== 'UnsupportedOperation') return RPC_CODES_V01[error.kind];
  if (error.metadata.state !== undefined) return INVALID_TASK_STATE;
  const streams = call?.method === 'tasks/sendSubscribe' || call?.method === 'tasks/resubscribe';
  return streams ? STREAMING_NOT_SUPPORTED : RPC_CODES_V01.UnsupportedOperation;
}

function isWebhookUrl(field: string): boolean {
  return field === 'url' || field.endsWith('taskPushNotificationConfig.url');
}
