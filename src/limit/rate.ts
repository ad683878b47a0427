/** A rate: so many units per period, with room for so many at once. */
export interface Rate {
  /** The name in the `RateLimit` headers; lower case letters and `-`. */
  readonly name: string;
  /** Units per period. */
  readonly limit: number;
  readonly periodSeconds: number;
  /** The most units that can be spent at once after a rest. */
  readonly burst: number;
}

/** What came of asking to spend units. */
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

/** How many milliseconds one unit takes to come back. */
export function millisecondsPerUnit(rate: Rate): number {
  return (rate.periodSeconds * 1000) / rate.limit;
}

/** Throws an error that says what is wrong with a rate, for the start of the service. */
export function checkRate(rate: Rate, highestCost: number): void {
  if (!(rate.limit > 0 && rate.periodSeconds > 0))
    throw new Error(`Rate ${rate.name}: limit and period must be above 0`);
  if (rate.burst < highestCost) {
    throw new Error(
      `Rate ${rate.name}: a burst of ${String(rate.burst)} could never pay for a call of ${String(highestCost)}`,
    );
  }
}
