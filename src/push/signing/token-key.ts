import { createECDH, hkdfSync } from 'node:crypto';
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

export interface PrivateTokenKey extends PublicTokenKey {
  readonly d: string;
}

/** The key that signs tokens for webhooks: derived, so that all processes have the same one and none is stored. */
export function tokenKey(master: SigningKey): PrivateTokenKey {
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

export function publicPart({ d: _private, ...key }: PrivateTokenKey): PublicTokenKey {
  return key;
}
