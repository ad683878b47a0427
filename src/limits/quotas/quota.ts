import { RateLimitedError } from '../rates/rate-limited.error.js';

/** A limit on how many a caller may have at once. */
export interface Quota {
  /** The name of the quota in errors. */
  readonly subject: string;
  readonly limit: number;
  /** Delay after which a retry makes sense. */
  readonly retryAfterSeconds: number;
}

/** Throws RateLimitedError when the quota is full. */
export function requireRoom(count: number, quota: Quota): void {
  if (count >= quota.limit) throw quotaExceeded(quota);
}

/** The refusal of all new work while the storage is nearly full, so that begun work can continue and end. */
export function storageShort(retryAfterSeconds: number): RateLimitedError {
  return new RateLimitedError('The service is short of storage: new work is refused for now', {
    headers: { 'retry-after': String(retryAfterSeconds) },
    retryAfterSeconds,
    metadata: { quota: 'storage' },
  });
}

/** The error of a call over a quota. */
export function quotaExceeded({ subject, limit, retryAfterSeconds }: Quota): RateLimitedError {
  const name = subject.replaceAll(' ', '-');
  return new RateLimitedError(`Too many ${subject}: at most ${String(limit)} are allowed at once`, {
    headers: {
      'ratelimit-policy': `"${name}";q=${String(limit)}`,
      ratelimit: `"${name}";r=0;t=${String(retryAfterSeconds)}`,
      'retry-after': String(retryAfterSeconds),
    },
    retryAfterSeconds,
    metadata: { quota: name, limit: String(limit) },
  });
}
