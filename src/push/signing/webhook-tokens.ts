import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { PushOptions } from '../push.options.js';
import { publicPart, type PublicTokenKey, tokenKey } from './token-key.js';

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
