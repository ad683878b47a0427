import { A2AError } from '@parley/protocol/model/errors.js';
import { rateLimitHeaders, type RateLimitHeaders } from './rate-limit-headers.js';
import type { RateDecision } from './rate.js';

/** Machine-readable facts of a refused call. */
export interface LimitFacts {
  /** For the response of HTTP bindings and the trailers of gRPC. */
  readonly headers: RateLimitHeaders;
  readonly retryAfterSeconds: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A call beyond a rate or a quota: 429, RESOURCE_EXHAUSTED, −32010 in 0.1. */
export class RateLimitedError extends A2AError {
  readonly headers: RateLimitHeaders;
  /** The name of the quota that is full; undefined for a rate. */
  readonly quota: string | undefined;

  constructor(message: string, { headers, retryAfterSeconds, metadata }: LimitFacts) {
    super('RateLimited', message, { retryAfterSeconds, metadata });
    this.headers = headers;
    this.quota = metadata.quota;
  }
}

/** The refusal of a call beyond its rate. */
export function rateExceeded(decision: RateDecision): RateLimitedError {
  const { retryAfterSeconds } = decision;
  return new RateLimitedError(`Too many calls: try again in ${String(retryAfterSeconds)} s`, {
    headers: rateLimitHeaders(decision),
    retryAfterSeconds,
    metadata: { policy: decision.rate.name, retryAfterSeconds: String(retryAfterSeconds) },
  });
}
