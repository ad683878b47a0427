import type { RateDecision } from './rate.js';

/** Headers of an answer, by name in lower case. */
export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers: q and w are the quota and its window in
 * seconds, r and t what is left and when it is whole again), and `Retry-After` on a refusal (RFC 6585 §4).
 */
export function rateLimitHeaders(decision: RateDecision): RateLimitHeaders {
  const { rate, remaining, resetSeconds, retryAfterSeconds } = decision;
  const headers = {
    'ratelimit-policy': `"${rate.name}";q=${String(rate.limit)};w=${String(rate.periodSeconds)}`,
    ratelimit: `"${rate.name}";r=${String(remaining)};t=${String(resetSeconds)}`,
  };
  return decision.isAllowed ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) };
}
