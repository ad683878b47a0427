import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { isJsonObject, parseCompactToken } from '../token/compact-token.js';
import { canonicalTarget } from '../incoming/request-target.js';
import { isSignedBy } from '../token/signed-by.js';

/** The expected claims of a proof. */
export interface ExpectedProof {
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly keyThumbprint: string;
  readonly method: string;
  /** The URLs that the call may have had. */
  readonly urls: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Accepted signature algorithms of proofs. */
export const DPOP_ALGORITHMS: readonly string[] = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'];

const MAX_AGE_SECONDS = 60;

/** Checks a DPoP proof (RFC 9449 §4.3). Returns its `jti`, which may be used once; undefined for an invalid proof. */
export async function checkDpopProof(proof: string, expected: ExpectedProof): Promise<string | undefined> {
  const parsed = parseCompactToken(proof);
  if (parsed === undefined) return undefined;
  const { typ, alg, jwk, crit } = parsed.header;
  if (typ !== 'dpop+jwt' || typeof alg !== 'string' || !DPOP_ALGORITHMS.includes(alg) || crit !== undefined)
    return undefined;
  if (!isPublicKey(jwk) || !(await isSignedBy(proof, jwk, alg))) return undefined;
  if ((await calculateJwkThumbprint(jwk)) !== expected.keyThumbprint) return undefined;
  return isAbout(parsed.claims, expected) ? proofId(parsed.claims) : undefined;
}

function isPublicKey(jwk: unknown): jwk is JWK {
  return isJsonObject(jwk) && !Object.hasOwn(jwk, 'd') && jwk.kty !== 'oct';
}

function isAbout(claims: Readonly<Record<string, unknown>>, expected: ExpectedProof): boolean {
  const { htm, htu, iat, ath } = claims;
  if (htm !== expected.method || typeof htu !== 'string') return false;
  const named = normalUrl(htu);
  if (named === undefined || !expected.urls.some((url) => normalUrl(url) === named)) return false;
  if (typeof iat !== 'number' || Math.abs(expected.now / 1000 - iat) > MAX_AGE_SECONDS) return false;
  return ath === createHash('sha256').update(expected.token).digest('base64url');
}

function proofId({ jti }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof jti === 'string' && jti !== '' && jti.length <= 256 ? jti : undefined;
}

/** Compares by RFC 3986 §6.2.2 and §6.2.3; query and fragment do not count (RFC 9449 §4.3). */
function normalUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + canonicalTarget(pathname);
}
