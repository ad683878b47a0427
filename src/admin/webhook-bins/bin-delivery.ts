import type { PushAttempt } from '../../webhooks/delivery/attempt/request.js';
import { isSignedBy } from '../../webhooks/signing/signature.js';
import type { BinDelivery } from './webhook-bins.js';

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
