/** A rate limit: units per period, and a burst. */
export interface Rate {
  /** The name in the `RateLimit` headers; lower case letters and `-`. */
  readonly name: string;
  /** Units per period. */
  readonly limit: number;
  readonly periodSeconds: number;
  /** The most units that can be spent at once after a rest. */
  readonly burst: number;
}

/** The result of spending units. */
export interface RateDecision {
  readonly isAllowed: boolean;
  readonly rate: Rate;
  /** Whole units that could be spent now. */
  readonly remaining: number;
  /** Until the whole burst is there again. */
  readonly resetSeconds: number;
  /** Until the same call could succeed; 0 when it was allowed. */
  readonly retryAfterSeconds: number;
}

/** A rate as an operator writes it: `3000/1000` for 3,000 units per minute and a burst of 1,000. */
export function perMinute(name: string, text: string): Rate {
  const [limit, burst] = text.split('/').map(Number);
  return { name, limit: limit ?? 0, periodSeconds: 60, burst: burst ?? 0 };
}

/** How many milliseconds one unit takes to come back. */
export function millisecondsPerUnit(rate: Rate): number {
  return (rate.periodSeconds * 1000) / rate.limit;
}

/** Throws an error that names the variable of a rate that could never pay for its dearest call, for the start. */
export function checkRate(rate: Rate, highestCost: number): void {
  if (rate.limit > 0 && rate.periodSeconds > 0 && rate.burst >= highestCost) return;
  const variable = `RATE_${rate.name.toUpperCase()}`;
  throw new Error(
    `${variable}: the second number must be ${String(highestCost)} or more, which a call may cost at once`,
  );
}
