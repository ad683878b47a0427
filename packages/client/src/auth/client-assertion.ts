import { randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';

/** A private key by which a client proves itself at its issuer. */
export interface ClientKey {
  readonly jwk: JWK;
  readonly alg: string;
}

/** An assertion is used at once. */
const LIFE_SECONDS = 60;
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'];
/** By type and curve, where the key does not say it. */
const USUAL: Readonly<Record<string, string>> = {
  'EC P-256': 'ES256',
  'EC P-384': 'ES384',
  'EC P-521': 'ES512',
  'OKP Ed25519': 'EdDSA',
  RSA: 'RS256',
};

/** A private key as JSON (JWK, RFC 7517); undefined for any other text. */
export function readClientKey(text: string): ClientKey | undefined {
  let jwk: unknown;
  try {
    jwk = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPrivateKey(jwk)) return undefined;
  const alg = jwk.alg ?? USUAL[jwk.crv === undefined ? jwk.kty : `${jwk.kty} ${jwk.crv}`];
  return alg === undefined || !ALGORITHMS.includes(alg) ? undefined : { jwk, alg };
}

/** The half of a key that an authorization server verifies with, as it is registered there. */
export function publicPartOf({ jwk, alg }: ClientKey): JWK {
  const { kty, crv, x, y, n, e, kid } = jwk;
  const members = Object.entries({ kty, crv, x, y, n, e, kid, alg, use: 'sig' });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The proof of a client for one request to its issuer (RFC 7523 §2.2). @param audience the issuer, or its token endpoint */
export async function clientAssertion(
  { jwk, alg }: ClientKey,
  { clientId, audience }: { readonly clientId: string; readonly audience: string },
): Promise<string> {
  return signed({ jwk, alg }, new SignJWT().setIssuer(clientId).setSubject(clientId).setAudience(audience));
}

/** The caller for whom a service asks for a token. */
export interface AssertedCaller {
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
}

/**
 * Asserts one caller of a service for one token exchange (RFC 8693 §2.1): its subject, its client, and that this
 * service may act for it. @param audience the authorization server
 */
export async function callerAssertion(
  key: ClientKey,
  { tenant, client, subject }: AssertedCaller,
  { clientId, audience }: { readonly clientId: string; readonly audience: string },
): Promise<string> {
  const claims = { tenant, client_id: client, act: { sub: client }, may_act: { sub: clientId } };
  return signed(key, new SignJWT(claims).setIssuer(clientId).setSubject(subject).setAudience(audience));
}

async function signed({ jwk, alg }: ClientKey, token: SignJWT): Promise<string> {
  return token
    .setProtectedHeader({ alg, ...(jwk.kid === undefined ? {} : { kid: jwk.kid }) })
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${String(LIFE_SECONDS)}s`)
    .sign(await importJWK(jwk, alg));
}

function isPrivateKey(value: unknown): value is JWK & { readonly kty: string; readonly d: string } {
  return typeof value === 'object' && value !== null && 'kty' in value && 'd' in value && typeof value.d === 'string';
}
