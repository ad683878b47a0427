import type { A2AErrorName } from '../model/errors.js';

/** JSON-RPC code of each fault in 0.3 (v0.3 §8.2). It has none for the last two A2A faults: they keep 1.0's. */
export const RPC_CODES_V03: Readonly<Record<A2AErrorName, number>> = {
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

/** 0.2 had no -32007 yet (V02-05, V02-12). */
export const RPC_CODES_V02: Readonly<Record<A2AErrorName, number>> = {
  ...RPC_CODES_V03,
  ExtendedAgentCardNotConfigured: -32004,
};
