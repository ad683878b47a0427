import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { kindOfStatus, type RemoteFault, restFault, rpcFault } from '@parley/protocol/remote/remote-fault.js';
import { type AgentAnswer, readAll } from './agent-http.js';
import { RemoteError, type RemoteErrorKind } from './remote-errors.js';

/** Bytes of a failed answer that are read for its reason. */
const MAX_BYTES = 64 * 1024;

/** The longest pause that `Retry-After` can ask for. */
const MAX_RETRY_MS = 3_600_000;

/** The error of an answer whose HTTP status is not a success. Reads its body as far as the bound. */
export async function failedAnswer(answer: AgentAnswer): Promise<RemoteError> {
  const { status, headers } = answer;
  const retryAfterMs = retryAfterOf(headers['retry-after']);
  const fault = await faultOf(answer);
  const said = fault === undefined ? (isRedirect(status) ? ': redirects are not followed' : '') : `: ${fault.message}`;
  return new RemoteError(kindOf(status), `The agent answered ${String(status)}${said}`, {
    status,
    fault,
    retryAfterMs,
  });
}

/** The error of a JSON-RPC answer with an `error` member. */
export function failedCall(error: unknown, retryAfter?: string): RemoteError {
  const fault = rpcFault(error);
  const details = { fault, retryAfterMs: retryAfterOf(retryAfter) };
  return new RemoteError((fault.kind && CALL_KINDS[fault.kind]) ?? 'refused', fault.message, details);
}

/** Faults that are not final refusals of the call. */
const CALL_KINDS: Readonly<Partial<Record<A2AErrorName, RemoteErrorKind>>> = {
  Unauthenticated: 'auth',
  PermissionDenied: 'auth',
  RateLimited: 'busy',
  Unavailable: 'busy',
  InternalError: 'busy',
};

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function kindOf(status: number): RemoteErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 425 || status === 429) return 'busy';
  if (status === 501 || status === 505) return 'refused';
  if (status >= 500) return 'busy';
  // A redirect is not followed: nothing has begun.
  return status >= 300 ? 'refused' : 'invalid-answer';
}

async function faultOf(answer: AgentAnswer): Promise<RemoteFault | undefined> {
  const byStatus = kindOfStatus(answer.status);
  const body = await bodyOf(answer);
  if (!isJsonObject(body)) {
    return byStatus === undefined || byStatus === 'TaskNotFound'
      ? undefined
      : { kind: byStatus, code: answer.status, message: byStatus };
  }
  return body.jsonrpc === undefined ? restFault(body, answer.status) : rpcFault(body.error);
}

async function bodyOf(answer: AgentAnswer): Promise<unknown> {
  try {
    const tooLarge = (): RemoteError => new RemoteError('invalid-answer', 'too large');
    return parseJson(await readAll(answer.body, MAX_BYTES, tooLarge));
  } catch {
    // The status says enough; a page of HTML is no useful reason.
    return undefined;
  }
}

/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), bounded. */
export function retryAfterOf(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, MAX_RETRY_MS) : undefined;
}
