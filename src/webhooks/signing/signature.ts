import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A shared secret of a webhook and the name by which its receiver knows it. */
export interface SigningKey {
  readonly id: string;
  /** As it was issued; `whsec_` and base64, or any visible ASCII text. */
  readonly secret: string;
}

/** The signed content: one attempt to deliver one event. */
export interface SignedMessage {
  /** The `webhook-id`; the same for every attempt. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The exact body. */
  readonly body: string;
}

const PADDED_BASE64 = /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): one `v1,<base64>` per key, separated by spaces, so that a
 * receiver with any of these keys accepts. A secret that is not base64 signs with its own characters.
 */
export function webhookSignature(keys: readonly SigningKey[], message: SignedMessage): string {
  const time = new Date(message.timestamp * 1000);
  return keys.map((key) => webhookOf(key.secret).sign(message.id, time, message.body)).join(' ');
}

/** Whether a receiver with this key accepts the `webhook-signature` of a request. */
export function isSignedBy(key: SigningKey, headers: Readonly<Record<string, string>>, body: string): boolean {
  try {
    webhookOf(key.secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

/**
 * The value of `X-Agent-Signature`: HMAC-SHA256 of the body alone, 64 lower-case hex digits, keyed with the characters
 * of the secret as it was issued (`whsec_` included).
 */
export function agentSignature(key: SigningKey, body: string): string {
  return createHmac('sha256', key.secret).update(body).digest('hex');
}

function webhookOf(secret: string): Webhook {
  return PADDED_BASE64.test(secret) ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' });
}
