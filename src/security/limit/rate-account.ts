import { type Balance, PREPAID_MS, PrepaidCalls } from './prepaid-calls.js';
import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

/** After a payment that took longer, the next one pays nothing ahead: too little of its time would be left. */
const PROMPT_MS = PREPAID_MS / 4;

/** The reply of gcra.lua. */
export type Paid = readonly [calls: number, ahead: number, unitsLeft: number, resetMicros: number, waitMicros: number];

/** Pays in Redis for calls that wait and, where these can all be paid, for some that are to come. */
export type Pay = (calls: number, ahead: number) => Promise<Paid>;

/** Calls that are made in the same turn of the event loop: they are paid together. */
interface Turn {
  calls: number;
  readonly paid: Promise<Paid>;
}

/**
 * The calls of one price that this process pays from one bucket. Those of a busy caller are paid ahead, so that most need no
 * round trip: every call is paid at most `PREPAID_MS` before it is made, and never after.
 */
export class RateAccount {
  private readonly prepaid = new PrepaidCalls();
  private turn: Turn | undefined;
  private isPayingAhead = false;
  private latestTripMs = 0;

  /** @param now ms of a clock that never goes back */
  constructor(
    private readonly rate: Rate,
    private readonly cost: number,
    private readonly pay: Pay,
    private readonly now: () => number,
  ) {}

  /** Whether it pays by this rate: an operator may have set another one. */
  isOf({ limit, periodSeconds, burst }: Rate): boolean {
    const { rate } = this;
    return rate.limit === limit && rate.periodSeconds === periodSeconds && rate.burst === burst;
  }

  /** Pays for a call. A promise where Redis has to be asked, as it is for every refusal. */
  spend(): RateDecision | Promise<RateDecision> {
    if (!this.prepaid.take(this.now())) return this.spendInTurn();
    return this.allowed(this.prepaid.balance, this.prepaid.remaining);
  }

  private async spendInTurn(): Promise<RateDecision> {
    const turn = this.openTurn();
    turn.calls += 1;
    const place = turn.calls;
    const [calls, ahead, unitsLeft, resetMicros, waitMicros] = await turn.paid;
    const balance = { unitsLeft, resetMicros };
    // As it was after this call and before those behind it.
    if (place <= calls) return this.allowed(balance, calls - place + ahead);
    const retryAfterSeconds = Math.ceil(waitMicros / 1e6);
    return { ...this.allowed(balance, 0), isAllowed: false, retryAfterSeconds };
  }

  private openTurn(): Turn {
    if (this.turn !== undefined) return this.turn;
    const turn: Turn = {
      calls: 0,
      paid: new Promise(setImmediate).then(() => {
        this.turn = undefined;
        return this.payTurn(turn.calls);
      }),
    };
    this.turn = turn;
    return turn;
  }

  private async payTurn(calls: number): Promise<Paid> {
    const asked = this.callsToPayAhead();
    const askedAt = this.now();
    this.isPayingAhead ||= asked > 0;
    try {
      const paid = await this.pay(calls, asked);
      const [, ahead, unitsLeft, resetMicros] = paid;
      if (ahead > 0) this.prepaid.add(ahead, { unitsLeft, resetMicros }, askedAt);
      return paid;
    } finally {
      this.latestTripMs = this.now() - askedAt;
      if (asked > 0) this.isPayingAhead = false;
    }
  }

  /** None of a low rate: of that, no window of time has one call too many. */
  private callsToPayAhead(): number {
    const isLow = millisecondsPerUnit(this.rate) * this.cost > PREPAID_MS;
    return isLow || this.isPayingAhead || this.latestTripMs > PROMPT_MS ? 0 : this.prepaid.wanted;
  }

  /** @param behind calls that are paid already and come after it */
  private allowed({ unitsLeft, resetMicros }: Balance, behind: number): RateDecision {
    const units = behind * this.cost;
    return {
      isAllowed: true,
      rate: this.rate,
      remaining: unitsLeft + units,
      resetSeconds: Math.ceil((resetMicros - units * microsPerUnit(this.rate)) / 1e6),
      retryAfterSeconds: 0,
    };
  }
}

/** How many microseconds one unit takes to come back. */
export function microsPerUnit(rate: Rate): number {
  return Math.max(1, Math.round(millisecondsPerUnit(rate) * 1000));
}
