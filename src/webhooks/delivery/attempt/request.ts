import type { LoggedEvent } from '../../../tasks/commit/event-log.js';
import type { CallTrace, TraceCarrier } from '../../../platform/tracing/trace-carrier.js';
import type { PushBody } from './push-body.js';
import { isSigningScheme, type PushRecord, type PushSecrets } from '../../config/push-record.js';
import { agentSignature, webhookSignature, type SigningKey } from '../../signing/signature.js';

/** One attempt to deliver one event. */
export interface PushAttempt {
  readonly record: PushRecord;
  readonly secrets: PushSecrets;
  readonly seq: number;
  /** The nonce of the event's writer. */
  readonly nonce: string;
  /** The same for every attempt to deliver this event: see `webhookIdOf`. */
  readonly webhookId: string;
  /** Commit time of the event, ms since 1970, if the event has it. */
  readonly committedAt?: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly body: PushBody;
  /** The current key first. */
  readonly keys: readonly [SigningKey, ...SigningKey[]];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A token signed by the service, for a webhook that wants one. */
  readonly bearer?: string;
  /** The trace context of the task's caller. */
  readonly trace: CallTrace;
  /** The W3C traceparent of the failed attempt before this one, where that was recorded; else ''. */
  readonly attemptBefore: string;
}

export interface RequestStyle {
  readonly userAgent: string;
  readonly signaturePrefix: string;
}

/**
 * The id of an event for its receiver, equal in every attempt, so that repeats are recognised (A2A-PN-14). The number
 * alone does not identify an event: after a failover that lost writes, or when a 0.1 client reuses a task id after
 * retention, another event gets the same number. The nonce of its writer distinguishes the two.
 */
export function webhookIdOf(taskId: string, { seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>): string {
  return `evt_${taskId}_${String(seq)}_${nonce}`;
}

/** The headers of one attempt (A2A-PN-02, -03, -04, -10, -14). Both spellings of the token are in use by receivers. */
export function headersOf(push: PushAttempt, style: RequestStyle): Readonly<Record<string, string>> {
  const { record, secrets, seq, body, keys, webhookId: id } = push;
  const timestamp = Math.floor(push.now / 1000);
  const { token } = secrets;
  return {
    'Content-Type': body.contentType,
    'User-Agent': style.userAgent,
    ...authorization(push),
    ...(token === undefined ? {} : { 'X-A2A-Notification-Token': token, 'A2A-Notification-Token': token }),
    ...taskHeaders(record),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(keys, { id, timestamp, body: body.text }),
    'X-Agent-Signature': style.signaturePrefix + agentSignature(keys[0], body.text),
    'X-Agent-Signature-Key-Id': keys[0].id,
    'X-A2A-Event-Seq': String(seq),
    'X-A2A-Attempt': String(push.attempt),
    ...passedOn(push.trace),
  };
}

/** Published events have no task on the receiver's side: their source names it. */
function taskHeaders({ dialect, taskId, isOfEvents }: PushRecord): Readonly<Record<string, string>> {
  return isOfEvents === true ? {} : { 'A2A-Version': dialect, 'X-A2A-Task-Id': taskId };
}

function authorization({ record, secrets, bearer }: PushAttempt): { Authorization?: string } {
  const { scheme, dialect } = record;
  const { credentials = '', token } = secrets;
  if (bearer !== undefined) return { Authorization: `Bearer ${bearer}` };
  // In 0.1 the token is the credential (SEED-13).
  if (scheme === undefined) return dialect === '0.1' && token !== undefined ? { Authorization: `Bearer ${token}` } : {};
  return credentials === '' || isSigningScheme(scheme) ? {} : { Authorization: `${scheme} ${credentials}` };
}

/** Trace headers: with tracing off the caller's, unchanged; with tracing on those of the attempt's span. */
function passedOn({ traceparent = '', tracestate = '' }: TraceCarrier): TraceCarrier {
  return { ...(traceparent === '' ? {} : { traceparent }), ...(tracestate === '' ? {} : { tracestate }) };
}
