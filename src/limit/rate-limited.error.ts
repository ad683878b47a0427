import { A2AError } from '../protocol/errors.js';
import { rateLimitHeaders, type RateLimitHeaders } from './rate-limit-headers.js';
import type { RateDecision } from './rate.js';

/** A call beyond its rate. `headers` go into the answer of HTTP bindings; `retryAfterSeconds` serves the others. */
export class RateLimitedError extends A2AError {
  readonly headers: RateLimitHeaders;

  constructor(decision: RateDecision) {
    const { retryAfterSeconds } = decision;
    super('RateLimited', `Too many calls: try again in ${String(retryAfterSeconds)} s`, {
      retryAfterSeconds,
      metadata: { policy: decision.rate.name, retryAfterSeconds: String(retryAfterSeconds) },
    });
    this.headers = rateLimitHeaders(decision);
  }
}
