import type { A2AErrorName } from '../model/errors.js';
import type { JsonObject } from '../model/json.js';
import { ERROR_REASONS } from '../binding/error-reasons.js';
import { isJsonObject } from '../json/json-value.js';
import { RPC_CODES_V1 } from '../v1_0/rpc-errors.js';

/** An error as another agent has answered it, over any binding. */
export interface RemoteFault {
  /** The fault of the protocol that it is; undefined for one that the protocol does not have. */
  readonly kind: A2AErrorName | undefined;
  /** JSON-RPC code, HTTP status or the name of a gRPC status. */
  readonly code: number | string | undefined;
  readonly message: string;
  /** From `google.rpc.RetryInfo` or 0.3's `retryAfterSeconds`. */
  readonly retryAfterMs?: number;
}

/** Names longer than this are cut: the text comes from another agent. */
const MAX_TEXT = 2000;

/** The error object of a JSON-RPC answer. */
export function rpcFault(error: unknown): RemoteFault {
  if (!isJsonObject(error)) return { kind: undefined, code: undefined, message: 'An error without a description' };
  const code = typeof error.code === 'number' ? error.code : undefined;
  const kind = kindOfReason(error.data) ?? kindOfCode(code);
  return { kind, code, message: textOf(error.message), ...retryOf(error.data) };
}

/**
 * The body of a failed HTTP+JSON answer: `google.rpc.Status` of 1.0, or the `{code, message}` of 0.3. Undefined for a
 * body that is neither.
 */
export function restFault(body: unknown, httpStatus: number): RemoteFault | undefined {
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
  if (!isJsonObject(error) || typeof error.message !== 'string') return undefined;
  const code = typeof error.code === 'number' && error.code < 0 ? error.code : undefined;
  const details = error.details ?? error.data;
  const kind = kindOfReason(details) ?? kindOfCode(code) ?? kindOfStatus(httpStatus);
  return { kind, code: code ?? httpStatus, message: textOf(error.message), ...retryOf(details) };
}

/** The fault that an HTTP status is by itself. */
export function kindOfStatus(status: number): A2AErrorName | undefined {
  const kinds: Readonly<Record<number, A2AErrorName>> = {
    400: 'InvalidParams',
    401: 'Unauthenticated',
    403: 'PermissionDenied',
    404: 'TaskNotFound',
    413: 'RequestTooLarge',
    415: 'ContentTypeNotSupported',
    429: 'RateLimited',
    501: 'UnsupportedOperation',
    503: 'Unavailable',
  };
  return kinds[status];
}

/** JSON-RPC's -32000 is any error of a server: its reason says which. */
function kindOfCode(code: number | undefined): A2AErrorName | undefined {
  if (code === undefined || code === -32000) return undefined;
  const found = Object.entries(RPC_CODES_V1).find(([, known]) => known === code);
  return found === undefined ? undefined : (found[0] as A2AErrorName);
}

function kindOfReason(details: unknown): A2AErrorName | undefined {
  const reason = infosOf(details).find((info) => typeof info.reason === 'string')?.reason;
  // Two faults share this reason: the code distinguishes them.
  if (reason === ERROR_REASONS.InvalidRequest) return undefined;
  const found = Object.entries(ERROR_REASONS).find(([, known]) => known === reason);
  return found === undefined ? undefined : (found[0] as A2AErrorName);
}

function retryOf(details: unknown): { retryAfterMs?: number } {
  for (const info of infosOf(details)) {
    const delay = typeof info.retryDelay === 'string' ? Number.parseFloat(info.retryDelay) : info.retryAfterSeconds;
    if (typeof delay === 'number' && delay >= 0) return { retryAfterMs: Math.ceil(delay * 1000) };
  }
  return {};
}

function infosOf(details: unknown): readonly JsonObject[] {
  return (Array.isArray(details) ? details.slice(0, 100) : [details]).filter(isJsonObject);
}

function textOf(message: unknown): string {
  return typeof message === 'string' && message !== '' ? message.slice(0, MAX_TEXT) : 'An error without a description';
}
