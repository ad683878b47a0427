import { createHash } from 'node:crypto';

/** The key that marks a DPoP proof as used. Proof names come from callers, so a digest of fixed length stands for them. */
export function proofKey(prefix: string, keyThumbprint: string, jti: string): string {
  return `${prefix}:dpop:${createHash('sha256').update(`${keyThumbprint}\n${jti}`).digest('base64url')}`;
}
