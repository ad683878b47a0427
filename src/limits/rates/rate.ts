/** A rate limit: units per period, and a burst. */
export interface Rate {
  /** The name in the `RateLimit` headers; lower case letters and `-`. */
  readonly name: string;
  /** Units per period. */
  readonly limit: number;
  readonly periodSeconds: number;
  /** Units that can be spent at once after a pause. */
  readonly burst: number;
}

/** The result of spending units. */
export interface RateDecision {
  readonly isAllowed: boolean;
  readonly rate: Rate;
  /** Whole units that could be spent now. */
  readonly remaining: number;
  /** Time until the whole burst is available again. */
  readonly resetSeconds: number;
  /** Time until the same call could succeed; 0 when it was allowed. */
  readonly retryAfterSeconds: number;
}

/** A rate in an operator's notation: `3000/1000` for 3,000 units per minute and a burst of 1,000. */
export function perMinute(name: string, text: string): Rate {
  const [limit, burst] = text.split('/').map(Number);
  return { name, limit: limit ?? 0, periodSeconds: 60, burst: burst ?? 0 };
}

/** Milliseconds until one unit is available again. */
export function millisecondsPerUnit(rate: Rate): number {
  return (rate.periodSeconds * 1000) / rate.limit;
}

/** @throws Error that names the variable of a rate below the cost of its most expensive call, at the start */
export function checkRate(rate: Rate, highestCost: number): void {
  if (rate.limit > 0 && rate.periodSeconds > 0 && rate.burst >= highestCost) return;
  const variable = `RATE_${rate.name.toUpperCase()}`;
  throw new Error(
    `${variable}: the second number must be ${String(highestCost)} or more, which a call may cost at once`,
  );
}
