import type { JWK } from 'jose';
import { isJsonObject } from './compact-token.js';
import { TOKEN_ALGORITHMS } from './issuer-options.js';

/** An issuer's verification keys by their `kid`. */
export type KeySet = ReadonlyMap<string, JWK>;

const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;

/**
 * Reads a JWK set (RFC 7517 §5) and keeps the keys that may verify tokens: public, for signatures, strong enough, with
 * a unique `kid`. Two keys with the same `kid` are both dropped, since it cannot select one.
 * @throws Error when the text is no key set or holds more than 100 keys
 */
export function parseKeySet(text: string): KeySet {
  const document: unknown = JSON.parse(text);
  if (!isJsonObject(document) || !Array.isArray(document.keys)) throw new Error('The document is not a key set');
  const entries: readonly unknown[] = document.keys;
  if (entries.length > MAX_KEYS) throw new Error(`The key set holds more than ${String(MAX_KEYS)} keys`);
  const keys = new Map<string, JWK>();
  const doubled = new Set<string>();
  for (const entry of entries) {
    if (!isJsonObject(entry) || typeof entry.kid !== 'string') continue;
    if (keys.has(entry.kid)) doubled.add(entry.kid);
    if (isVerificationKey(entry)) keys.set(entry.kid, entry);
  }
  for (const kid of doubled) keys.delete(kid);
  return keys;
}

function isVerificationKey(entry: Readonly<Record<string, unknown>>): entry is Readonly<Record<string, unknown>> & JWK {
  const { use, alg, key_ops: operations } = entry;
  if (use !== undefined && use !== 'sig') return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  if (alg !== undefined && !TOKEN_ALGORITHMS.some((allowed) => allowed === alg)) return false;
  return !Object.hasOwn(entry, 'd') && hasStrongKey(entry);
}

function hasStrongKey({ kty, n, crv }: Readonly<Record<string, unknown>>): boolean {
  switch (kty) {
    case 'RSA':
      return typeof n === 'string' && Buffer.from(n, 'base64url').length * 8 >= MIN_RSA_BITS;
    case 'EC':
      return crv === 'P-256';
    case 'OKP':
      return crv === 'Ed25519';
    default:
      return false;
  }
}
