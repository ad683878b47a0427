const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before attempt 1, 2, … 12: 77.7 hours in all, so that a receiver may be down over a long weekend. */
export const RETRY_DELAYS_MS: readonly number[] = [
  0,
  1 * SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  24 * HOUR,
  36 * HOUR,
];

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length;

/** Varies each wait by up to a fifth, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.2;

/** Maximum duration of a schedule, in ms: older events are dead-lettered even if their attempts were delayed. */
export const RETRY_HORIZON_MS = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0) * (1 + JITTER);

/**
 * The wait after `attempts` failed attempts, in ms; undefined after the last. `Retry-After` lengthens a wait, up to
 * twice the schedule's or an hour, and never shortens it. `random` is in [0, 1).
 */
export function retryDelay(attempts: number, random: number, retryAfterMs = 0): number | undefined {
  const scheduled = RETRY_DELAYS_MS[attempts];
  if (scheduled === undefined) return undefined;
  const jittered = scheduled * (1 + JITTER * (2 * random - 1));
  const asked = Math.min(retryAfterMs, Math.max(2 * scheduled, HOUR));
  return Math.round(Math.max(jittered, asked));
}

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date) as ms from `now`; undefined when it is neither.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header) * SECOND;
  const at = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
