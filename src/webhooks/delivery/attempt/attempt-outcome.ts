import type { EndpointSign } from '../../../platform/breaker/endpoint-breaker.js';
import { parseRetryAfter } from '../retry-schedule.js';

/** The result of one attempt: a response, or a connection error. */
export type AttemptResult =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** `blocked_address`, `timeout`, or the failed layer: `dns`, `connect`, `tls`, `reset`, `protocol`. */
  | { readonly kind: 'failed'; readonly code: string };

/** The next step after an attempt. Reasons are for operators and for the owner of the webhook. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  /** Try this event again. */
  | { readonly kind: 'retry'; readonly reason: string; readonly retryAfterMs?: number }
  /** Give this event up and continue with the next. */
  | { readonly kind: 'drop'; readonly reason: string }
  /** Stop the webhook until it is redriven. */
  | { readonly kind: 'stop'; readonly reason: string };

/** Attempts after which a refusal counts; earlier ones may be a deployment in progress. */
const BELIEVED_AFTER = 4;

const WORTH_RETRYING = [408, 425, 429];
const KNOWS_WHEN = [429, 503];

/** The next step after an attempt (A2A-PN-07). `attempt` counts from 1. */
export function outcomeOf(result: AttemptResult, attempt: number, now: number): AttemptOutcome {
  if (result.kind === 'failed') {
    return { kind: result.code === 'blocked_address' ? 'stop' : 'retry', reason: result.code };
  }
  const { status, headers } = result;
  if (isSuccess(status)) return { kind: 'delivered' };
  const reason = `http_${String(status)}`;
  if (status === 410) return { kind: 'stop', reason };
  if (headers['webhook-delivery'] === 'abort-message') return { kind: 'drop', reason: 'aborted_by_receiver' };
  if (isRefusal(status)) {
    return { kind: attempt < BELIEVED_AFTER ? 'retry' : 'drop', reason };
  }
  const retryAfterMs = KNOWS_WHEN.includes(status) ? parseRetryAfter(headers['retry-after'], now) : undefined;
  return { kind: 'retry', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/**
 * The effect of an attempt on its endpoint. A refusal concerns one webhook, whose path or credentials may be wrong: it
 * must not affect other webhooks at the same origin.
 */
export function signOf(result: AttemptResult): EndpointSign {
  if (result.kind === 'failed') return result.code === 'blocked_address' ? 'none' : 'failed';
  if (isSuccess(result.status)) return 'succeeded';
  return isRefusal(result.status) ? 'refused' : 'failed';
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Redirects and 4xx that a repeat would get again. */
function isRefusal(status: number): boolean {
  return !isSuccess(status) && status < 500 && !WORTH_RETRYING.includes(status);
}
