import { createHash } from 'node:crypto';
import type { PolicyCaller } from './policy.js';

/**
 * The key that marks a nonce of a caller as used. Nonces come from callers, so the key has a digest of fixed length.
 */
export function nonceKey(prefix: string, { tenant, client }: PolicyCaller, nonce: string): string {
  const digest = createHash('sha256').update(`${tenant}\n${client}\n${nonce}`).digest('base64url');
  return `${prefix}:nonce:${digest}`;
}
