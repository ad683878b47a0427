import { A2AError } from '../protocol/errors.js';

/** Something of which a caller may have only so many at once. */
export interface Quota {
  /** What is counted, as the caller reads it. */
  readonly subject: string;
  readonly limit: number;
  /** When it is worth trying again. */
  readonly retryAfterSeconds: number;
}

/** Throws RateLimited when there is no room for one more. */
export function requireRoom(count: number, quota: Quota): void {
  if (count < quota.limit) return;
  const { subject, limit, retryAfterSeconds } = quota;
  throw new A2AError('RateLimited', `Too many ${subject}: at most ${String(limit)} are allowed at once`, {
    retryAfterSeconds,
    metadata: { quota: subject.replaceAll(' ', '_'), limit: String(limit) },
  });
}
