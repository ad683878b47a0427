import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { usageError } from '../context/cli-error.js';

/** Secrets with which a receiver verifies a notification. */
export interface WebhookKnowledge {
  /** The token that the webhook was registered with. */
  readonly token?: string | undefined;
  /** The secret that the agent signs with. */
  readonly secret?: string | undefined;
}

export interface WebhookCheck {
  readonly name: string;
  /** Undefined where there is nothing to verify with. */
  readonly isRight: boolean | undefined;
}

/** Verifies a notification: its token in either header, the signature of Standard Webhooks, and the plain HMAC. */
export function checkWebhook(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { token, secret }: WebhookKnowledge,
): readonly WebhookCheck[] {
  return [
    { name: 'token', isRight: token === undefined ? undefined : tokensOf(headers).some((one) => isEqual(one, token)) },
    { name: 'webhook-signature', isRight: secret === undefined ? undefined : isSigned(headers, body, secret) },
    {
      name: 'X-Agent-Signature',
      isRight:
        secret === undefined || headers['x-agent-signature'] === undefined
          ? undefined
          : isEqual(String(headers['x-agent-signature']), createHmac('sha256', secret).update(body).digest('hex')),
    },
  ];
}

/** Seconds in which a token is taken; those of the agents of 0.1 do not say when they end. */
const MAX_TOKEN_AGE = '5m';

/**
 * Verifies the tokens of an agent: signed by one of its keys, young, and of this body. The audience is not compared: the
 * receiver is behind addresses that it does not know.
 */
export function tokenCheck(url: string): (headers: IncomingHttpHeaders, body: Buffer) => Promise<boolean> {
  const keys = createRemoteJWKSet(addressOf(url));
  return async ({ authorization = '' }, body) => {
    try {
      const token = /^bearer (.*)$/i.exec(authorization)?.[1] ?? '';
      const { payload } = await jwtVerify(token, keys, { maxTokenAge: MAX_TOKEN_AGE, clockTolerance: 30 });
      return payload.request_body_sha256 === createHash('sha256').update(body).digest('hex');
    } catch {
      // Whatever is wrong with it, it proves nothing.
      return false;
    }
  };
}

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw usageError('--jwks must be an http(s) address');
}

function tokensOf(headers: IncomingHttpHeaders): readonly string[] {
  const bearer = /^bearer (.*)$/i.exec(headers.authorization ?? '')?.[1];
  return [bearer ?? '', String(headers['x-a2a-notification-token'] ?? '')];
}

function isSigned(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    verifierOf(secret).verify(body.toString(), texts);
    return true;
  } catch {
    // Whatever is wrong with it, it proves nothing.
    return false;
  }
}

/** A secret that is not base64 signs with its own characters. */
function verifierOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(secret, { format: 'raw' });
  }
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
