import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { CompactToken } from './compact-token.js';

/** Maximum number of cached tokens; a process has far fewer callers at a time. */
const MAX_TOKENS = 10_000;

interface VerifiedToken {
  readonly parsed: CompactToken;
  readonly key: JWK;
}

/**
 * Caches verified signatures: a caller sends the same token with every call, and the signature is the most expensive
 * check. Key, claims and times are checked in each call. Stores hashes, never tokens.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, VerifiedToken>();

  constructor(private readonly most = MAX_TOKENS) {}

  /** A token already verified with `key`, parsed; undefined if not cached. */
  find(token: string): VerifiedToken | undefined {
    return this.tokens.get(nameOf(token));
  }

  /** Replaces the oldest entry when the cache is full. */
  add(token: string, verified: VerifiedToken): void {
    const [oldest] = this.tokens.keys();
    if (this.tokens.size >= this.most && oldest !== undefined) this.tokens.delete(oldest);
    this.tokens.set(nameOf(token), verified);
  }
}

function nameOf(token: string): string {
  return hash('sha256', token, 'base64');
}
