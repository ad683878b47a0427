import { createECDH, createHash, hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { PushOptions } from '../push.options.js';
import type { ProtocolVersion } from '@parley/protocol/codec/codec.js';
import { type RsaKey, rsaKeyOf } from './rsa-key.js';
import type { SigningKey } from './signature.js';

/** A public key in the form published to receivers (RFC 7517, 7518 §6). */
export type PublicTokenKey = PublicEcKey | PublicRsaKey;

interface PublicRsaKey extends Pick<RsaKey, 'kty' | 'n' | 'e'> {
  readonly use: 'sig';
  readonly alg: 'RS256';
  readonly kid: string;
}

interface PublicEcKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly use: 'sig';
  readonly alg: 'ES256';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
}

interface PrivateEcKey extends PublicEcKey {
  readonly d: string;
}

/** Lifetime of a token; allows for a skewed clock of the receiver. */
const LIFE_SECONDS = 300;

/** The content of a token: one attempt to deliver one event. */
export interface TokenSubject {
  readonly url: string;
  readonly taskId: string;
  readonly webhookId: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The version that the webhook was registered in. */
  readonly dialect: ProtocolVersion;
}

/**
 * Signs tokens for webhooks with the scheme `Bearer` and no credentials (A2A-PN-10, SEED-16): the receiver verifies
 * them with the keys at `/.well-known/jwks.json` instead of a shared secret. Receivers of 0.1 follow its samples: RS256
 * only, no audience; they check `iat` and the digest of the body.
 */
@Injectable()
export class WebhookTokens {
  private readonly rsaKeys = new Map<string, Promise<RsaKey>>();

  constructor(@Inject(PushOptions) private readonly options: PushOptions) {}

  /** The public keys, the current ones first. */
  async publicKeys(): Promise<readonly PublicTokenKey[]> {
    const keys = await Promise.all(
      this.options.masterKeys.map(async (master): Promise<readonly PublicTokenKey[]> => {
        const { d: _private, ...ec } = tokenKey(master);
        const { kty, n, e } = await this.rsaKey(master);
        return [ec, { kty, use: 'sig', alg: 'RS256', kid: rsaKid(master), n, e }];
      }),
    );
    return keys.flat();
  }

  async sign({ url, taskId, webhookId, body, now, dialect }: TokenSubject): Promise<string> {
    const master = this.options.masterKeys[0];
    const issuedAt = Math.floor(now / 1000);
    const token = new SignJWT({ taskId, request_body_sha256: createHash('sha256').update(body).digest('hex') })
      .setIssuer(this.options.issuer)
      .setJti(webhookId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFE_SECONDS);
    if (dialect === '0.1') {
      const key = await importJWK({ ...(await this.rsaKey(master)) }, 'RS256');
      return token.setProtectedHeader({ alg: 'RS256', kid: rsaKid(master), typ: 'JWT' }).sign(key);
    }
    const { alg, kid, ...key } = tokenKey(master);
    const aimed = token.setAudience(new URL(url).origin).setProtectedHeader({ alg, kid, typ: 'JWT' });
    return aimed.sign(await importJWK({ ...key }, alg));
  }

  /** Created once per process: the search for its primes takes a while. */
  private rsaKey(master: SigningKey): Promise<RsaKey> {
    const key = this.rsaKeys.get(master.id) ?? rsaKeyOf(master.secret, 'parley webhook token rsa');
    this.rsaKeys.set(master.id, key);
    return key;
  }
}

function rsaKid({ id }: SigningKey): string {
  return `${id}-rs256`;
}

/** The key that signs tokens for webhooks: derived, so all processes share it and none is stored. */
function tokenKey(master: SigningKey): PrivateEcKey {
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
