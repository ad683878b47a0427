import { checkPrime, hkdfSync } from 'node:crypto';
import { promisify } from 'node:util';

/** A private RSA key as a JWK (RFC 7518 §6.3). */
export interface RsaKey {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly d: string;
  readonly p: string;
  readonly q: string;
  readonly dp: string;
  readonly dq: string;
  readonly qi: string;
}

const EXPONENT = 65_537n;
/** Of each of the two primes: a key of 2,048 bits. */
const PRIME_BYTES = 128;

const isPrime = promisify(checkPrime) as (candidate: bigint) => Promise<boolean>;

/**
 * The RSA key derived from a secret: equal in every process that has the secret, so none is stored. The primes are
 * searched in threads, some 0.2 s per key.
 */
export async function rsaKeyOf(secret: string, purpose: string): Promise<RsaKey> {
  const p = await primeOf(secret, `${purpose} p`);
  const q = await primeOf(secret, `${purpose} q`);
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const parts = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const written = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, base64Url(value)]));
  return { kty: 'RSA', ...written } as unknown as RsaKey;
}

/** The first suitable prime from a number derived from the secret, with its two highest bits set. */
async function primeOf(secret: string, label: string): Promise<bigint> {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', label, PRIME_BYTES));
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  bytes[PRIME_BYTES - 1] = (bytes[PRIME_BYTES - 1] ?? 0) | 1;
  let candidate = BigInt(`0x${bytes.toString('hex')}`);
  while ((candidate - 1n) % EXPONENT === 0n || !(await isPrime(candidate))) candidate += 2n;
  return candidate;
}

/** The inverse of a number in a ring, by Euclid. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [before, rest] = [modulus, value % modulus];
  let [one, other] = [0n, 1n];
  while (rest !== 0n) {
    const quotient = before / rest;
    [before, rest] = [rest, before - quotient * rest];
    [one, other] = [other, one - quotient * other];
  }
  return ((one % modulus) + modulus) % modulus;
}

function base64Url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}
