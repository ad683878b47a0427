import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { newKey, signTexts, type Claims, type SigningKey } from './test-issuer.js';

/** A caller with a key of its own, that proves with each call that it has it (RFC 9449). */
export class DpopCaller {
  constructor(private readonly key: SigningKey = newKey('', 'ES256')) {}

  private get publicKey(): Claims {
    const { kty, crv, x, y } = this.key.jwk;
    return { kty, crv, x, y };
  }

  thumbprint(): Promise<string> {
    return calculateJwkThumbprint(this.publicKey);
  }

  proof(token: string, url: string, claims: Claims = {}, header: Claims = {}): string {
    const ath = createHash('sha256').update(token).digest('base64url');
    const good = { htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), jti: randomUUID(), ath };
    const head = { typ: 'dpop+jwt', alg: this.key.alg, jwk: this.publicKey, ...header };
    return signTexts(JSON.stringify(head), JSON.stringify({ ...good, ...claims }), this.key);
  }
}
