import type { Principal } from './principal.js';

/** Timers hold at most 2^31 - 1 ms; what lives longer than that ends for other reasons. */
const MAX_TIMER_MS = 2_147_483_647;

/** A signal with the function that gives up its timer. */
export interface ExpirySignal {
  readonly signal: AbortSignal;
  readonly release: () => void;
}

/**
 * Aborts once a caller's credential has been over for `graceMs`: an open stream must end then, and the caller come back
 * with a new credential. Never aborts for a credential without an end. `release` is to be called when the stream ends.
 * @param now milliseconds since the epoch
 */
export function expirySignal(principal: Principal, graceMs: number, now: number): ExpirySignal {
  const controller = new AbortController();
  const { expiresAt } = principal;
  if (expiresAt === undefined) return { signal: controller.signal, release: () => undefined };
  const timer = setTimeout(
    () => {
      controller.abort(new Error('The caller’s credential has expired'));
    },
    Math.min(Math.max(0, expiresAt + graceMs - now), MAX_TIMER_MS),
  );
  timer.unref();
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
    },
  };
}
