import type { PushAttempt } from '../../webhooks/delivery/attempt/request.js';
import { isSignedBy } from '../../webhooks/signing/signature.js';

/** A signed request as a receiver gets it, without the secrets in its headers. */
export interface BinDelivery {
  readonly taskId: string;
  readonly configId: string;
  readonly webhookId: string;
  /** The number of the event. */
  readonly seq: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** ISO 8601 */
  readonly at: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 32,768 characters. */
  readonly body: string;
  /** Bytes of the whole body. */
  readonly bytes: number;
  /** Whether the signature verifies against the secret. */
  readonly isSigned: boolean;
}

/** Headers with secrets of the webhook, hidden from readers of the bin. */
const SECRET = new Set(['authorization', 'x-a2a-notification-token', 'a2a-notification-token']);

/** An attempt as its receiver gets it. @param sent the headers of the request */
export function binDelivery(push: PushAttempt, sent: Readonly<Record<string, string>>): Omit<BinDelivery, 'bytes'> {
  const { record, webhookId, seq, attempt, now, keys, body } = push;
  const received = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  const shown = Object.entries(received).map(([name, value]) => [name, SECRET.has(name) ? '***' : value]);
  return {
    ...{ taskId: record.taskId, configId: record.id, webhookId, seq, attempt, at: new Date(now).toISOString() },
    headers: Object.fromEntries(shown) as Record<string, string>,
    body: body.text,
    isSigned: isSignedBy(keys[0], received, body.text),
  };
}
