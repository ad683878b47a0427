import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { JWK } from 'jose';

/** A key that signs cards, with the public half published under `kid`. */
export interface CardSigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The key's entry in the published key set. */
  readonly publicJwk: JWK;
}

/** The signing keys; an empty list signs nothing. Type and injection token. */
export const CardSigningKeys = Symbol('CardSigningKeys');
export type CardSigningKeys = readonly CardSigningKey[];

/** A new private key as a JWK set, as `parseCardSigningKeys` reads it. */
export function newCardSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return `${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })}\n`;
}

/**
 * Parses a JWK set of private P-256 keys. All of them sign, so that verifiers know a new key before the old one is
 * removed. Throws an error that names the fault without key material.
 */
export function parseCardSigningKeys(text: string): CardSigningKeys {
  const keys = jwksOf(text).map(signingKey);
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new Error('The signing keys contain a key twice');
  return keys;
}

function jwksOf(text: string): readonly JWK[] {
  const keys = parsed(text);
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new Error('The signing keys must be a JWK set: {"keys":[…]} with at least one private key');
  }
  return keys as readonly JWK[];
}

function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as { keys?: unknown } | null)?.keys;
  } catch {
    return undefined;
  }
}

function signingKey(jwk: JWK, index: number): CardSigningKey {
  const name = `Signing key ${String(index + 1)}`;
  if (jwk.kty !== 'EC' || jwk.crv !== 'P-256' || jwk.d === undefined) {
    throw new Error(`${name} must be a private EC key on P-256 (kty, crv, x, y and d)`);
  }
  const privateKey = privateKeyOf(jwk, name);
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  const bare = { kty, crv, x, y } as JWK;
  // RFC 7638 §3.2: the thumbprint covers these members in this order.
  const kid = jwk.kid ?? hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
  return { kid, privateKey, publicJwk: { ...bare, kid, alg: 'ES256', use: 'sig' } };
}

function privateKeyOf(jwk: JWK, name: string): KeyObject {
  try {
    return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    throw new Error(`${name} is not a valid key`);
  }
}
