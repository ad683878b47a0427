import { createECDH, createHash, hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { PushOptions } from '../push.options.js';
import type { SigningKey } from './signature.js';

/** A public key as receivers find it (RFC 7517, 7518 §6.2). */
export interface PublicTokenKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly use: 'sig';
  readonly alg: 'ES256';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
}

interface PrivateTokenKey extends PublicTokenKey {
  readonly d: string;
}

/** How long a token is good for; a receiver's clock may be a little off. */
const LIFE_SECONDS = 300;

/** The content of a token: one attempt to deliver one event. */
export interface TokenSubject {
  readonly url: string;
  readonly taskId: string;
  readonly webhookId: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Signs tokens for webhooks with the scheme `Bearer` and no credentials (A2A-PN-10, SEED-16): the receiver checks them
 * with the keys at `/.well-known/jwks.json` instead of a shared secret.
 */
@Injectable()
export class WebhookTokens {
  constructor(@Inject(PushOptions) private readonly options: PushOptions) {}

  /** The public keys, the current one first. */
  publicKeys(): readonly PublicTokenKey[] {
    return this.options.masterKeys.map((master) => publicPart(tokenKey(master)));
  }

  async sign({ url, taskId, webhookId, body, now }: TokenSubject): Promise<string> {
    const key = tokenKey(this.options.masterKeys[0]);
    const issuedAt = Math.floor(now / 1000);
    return new SignJWT({ taskId, request_body_sha256: createHash('sha256').update(body).digest('hex') })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
      .setIssuer(this.options.issuer)
      .setAudience(new URL(url).origin)
      .setJti(webhookId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFE_SECONDS)
      .sign(await importJWK({ ...key }, key.alg));
  }
}

/** The key that signs tokens for webhooks: derived, so that all processes have the same one and none is stored. */
function tokenKey(master: SigningKey): PrivateTokenKey {
  const d = Buffer.from(hkdfSync('sha256', master.secret, '', 'parley webhook token', 32));
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  // Uncompressed: a byte 4, then x and y of 32 bytes each (SEC 1 §2.3.3).
  const point = curve.getPublicKey();
  return {
    ...{ kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256', kid: master.id },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: d.toString('base64url'),
  };
}

function publicPart({ d: _private, ...key }: PrivateTokenKey): PublicTokenKey {
  return key;
}
