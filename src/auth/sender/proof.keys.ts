import { createHash } from 'node:crypto';

/**
 * The key that marks a DPoP proof as used. Proof ids come from callers, so the key contains a digest of fixed length.
 */
export function proofKey(prefix: string, keyThumbprint: string, jti: string): string {
  return `${prefix}:dpop:${createHash('sha256').update(`${keyThumbprint}\n${jti}`).digest('base64url')}`;
}
