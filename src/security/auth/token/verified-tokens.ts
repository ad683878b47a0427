import { hash } from 'node:crypto';
import type { JWK } from 'jose';
import type { CompactToken } from './compact-token.js';
import type { IssuerOptions } from './issuer-options.js';
import type { JwksCache } from './jwks.cache.js';
import type { AcceptedClaims } from './token-profile.js';

/** Maximum number of cached tokens; a process has far fewer callers at a time. */
const MOST_TOKENS = 10_000;

/** What was found out about a token when it was accepted. */
export interface AcceptedToken {
  readonly claims: AcceptedClaims;
  readonly issuer: { readonly options: IssuerOptions; readonly keys: Pick<JwksCache, 'present'> };
  /** The name of its key. */
  readonly kid: string;
  /** Before and from these times it would be refused, ms since the epoch. */
  readonly from: number;
  readonly until: number;
}

interface VerifiedToken {
  readonly parsed: CompactToken;
  readonly key: JWK;
  accepted?: AcceptedToken;
}

/**
 * Caches verified signatures: a caller sends the same token with every call, and the signature is the most expensive check.
 * What its issuer's options say of an accepted token changes with the time only, so that is kept with the times between which
 * it is true; key and times are checked in each call. Stores hashes, never tokens.
 */
export class VerifiedTokens {
  private readonly tokens = new Map<string, VerifiedToken>();

  constructor(private readonly most = MOST_TOKENS) {}

  /** A token that was signed by `key` when it was seen before, taken apart; undefined where that is not known. */
  find(token: string): VerifiedToken | undefined {
    return this.tokens.get(nameOf(token));
  }

  /** Replaces the oldest entry when the cache is full. Returns what is kept. */
  add(token: string, verified: VerifiedToken): VerifiedToken {
    const [oldest] = this.tokens.keys();
    if (this.tokens.size >= this.most && oldest !== undefined) this.tokens.delete(oldest);
    this.tokens.set(nameOf(token), verified);
    return verified;
  }
}

function nameOf(token: string): string {
  return hash('sha256', token, 'base64');
}
