/** How long prepaid calls may be made: a rate may be exceeded by what comes back in this time, and by no more. */
export const PREPAID_MS = 100;

/** Fewer calls in `PREPAID_MS` pay one by one, as soon as they come. */
const BUSY_CALLS = 8;
/** The part of the latest calls that is paid ahead: units of calls that do not come are lost to their caller. */
const AHEAD = 0.5;

/** What a payment left in the bucket. */
export interface Balance {
  readonly unitsLeft: number;
  readonly resetMicros: number;
}

/** How often one bucket is asked for calls of one price, and the calls of these that have been paid ahead. */
export class PrepaidCalls {
  private count = 0;
  private goodUntil = 0;
  private left: Balance = { unitsLeft: 0, resetMicros: 0 };
  /** Calls of the present `PREPAID_MS`, and of those before. */
  private period = 0;
  private calls = 0;
  private callsBefore = 0;

  /** Calls that are left. */
  get remaining(): number {
    return this.count;
  }

  /** What the bucket had when they were paid. */
  get balance(): Balance {
    return this.left;
  }

  /** Counts a call. Whether it has been paid already. @param now ms of a clock that never goes back */
  take(now: number): boolean {
    this.countCall(now);
    if (this.count === 0 || now >= this.goodUntil) return false;
    this.count -= 1;
    return true;
  }

  /** How many calls the next payment is to pay ahead. */
  get wanted(): number {
    const latest = Math.max(this.calls, this.callsBefore);
    return latest < BUSY_CALLS ? 0 : Math.floor(latest * AHEAD);
  }

  /** Calls that were paid ahead by a payment. They replace those before. @param askedAt when it was asked for */
  add(count: number, balance: Balance, askedAt: number): void {
    this.count = count;
    this.left = balance;
    this.goodUntil = askedAt + PREPAID_MS;
  }

  private countCall(now: number): void {
    const period = Math.floor(now / PREPAID_MS);
    if (period !== this.period) {
      this.callsBefore = period === this.period + 1 ? this.calls : 0;
      this.calls = 0;
      this.period = period;
    }
    this.calls += 1;
  }
}
