import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { CompactToken } from './compact-token.js';

/** Tokens whose signature is known to be good; a process has far fewer callers than this at a time. */
const MOST_TOKENS = 10_000;

interface VerifiedToken {
  readonly parsed: CompactToken;
  readonly key: JWK;
}

/**
 * Remembers which tokens are signed by which key, since a caller sends the same one with every call and a signature costs
 * more to check than all else about a token. Remembers that only: issuer, key, times and claims are looked at in each
 * call. Holds no token, but its hash.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, VerifiedToken>();

  constructor(private readonly most = MOST_TOKENS) {}

  /** A token that was signed by `key` when it was seen before, taken apart; undefined where that is not known. */
  find(token: string): VerifiedToken | undefined {
    return this.tokens.get(nameOf(token));
  }

  /** Takes the place of the oldest when there are too many. */
  add(token: string, verified: VerifiedToken): void {
    const [oldest] = this.tokens.keys();
    if (this.tokens.size >= this.most && oldest !== undefined) this.tokens.delete(oldest);
    this.tokens.set(nameOf(token), verified);
  }
}

function nameOf(token: string): string {
  return hash('sha256', token, 'base64');
}
