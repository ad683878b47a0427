import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PREPAID_MS } from './prepaid-calls.js';
import { type Pay, RateAccount } from './rate-account.js';
import type { Rate, RateDecision } from './rate.js';

const BUSY: Rate = { name: 'write', limit: 60_000, periodSeconds: 60, burst: 400 };
const LOW: Rate = { name: 'write', limit: 60, periodSeconds: 60, burst: 400 };

/** The bucket of gcra.lua in ms, whose time is that of the test. */
class Bucket {
  payments = 0;
  private fullAt = 0;

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number,
  ) {}

  account(cost: number, pay: Pay = this.paying(cost)): RateAccount {
    return new RateAccount(this.rate, cost, pay, this.now);
  }

  paying(cost: number): Pay {
    const interval = (this.rate.periodSeconds * 1_000) / this.rate.limit;
    return async (calls, asked) => {
      this.payments += 1;
      const [now, price, capacity] = [this.now(), cost * interval, this.rate.burst * interval];
      const from = Math.max(now, this.fullAt);
      const affordable = Math.floor((now + capacity - from) / price + 1e-9);
      const paid = Math.min(calls, affordable);
      const ahead = paid < calls ? 0 : Math.min(asked, Math.floor((affordable - paid) / 16));
      this.fullAt = from + (paid + ahead) * price;
      const left = Math.floor((now + capacity - this.fullAt) / interval + 1e-9);
      const wait = Math.max(0, this.fullAt + price - capacity - now);
      return [paid, ahead, left, (this.fullAt - now) * 1_000, wait * 1_000];
    };
  }
}

/** Makes calls one after the other. */
async function called(account: RateAccount, count: number): Promise<RateDecision[]> {
  const decisions: RateDecision[] = [];
  for (let at = 0; at < count; at += 1) decisions.push(await account.spend());
  return decisions;
}

describe(RateAccount.name, () => {
  it('pays for most calls of a busy caller ahead, and tells each what is left after it', async () => {
    const bucket = new Bucket(BUSY, () => 10);
    const decisions = await called(bucket.account(1), 100);
    expect(decisions.map(({ remaining }) => remaining)).toEqual(decisions.map((_decision, at) => 399 - at));
    expect(decisions.every(({ isAllowed, retryAfterSeconds }) => isAllowed && retryAfterSeconds === 0)).toBe(true);
    expect(bucket.payments).toBeLessThan(25);
  });

  it('pays call by call where less than a call comes back in that time', async () => {
    const bucket = new Bucket(LOW, () => 10);
    await called(bucket.account(1), 100);
    expect(bucket.payments).toBe(100);
  });

  it('pays nothing ahead after a payment that took long: it would come too late', async () => {
    let now = 0;
    const bucket = new Bucket(BUSY, () => now);
    const pay = bucket.paying(1);
    const asked: number[] = [];
    const slow: Pay = async (calls, ahead) => {
      asked.push(ahead);
      const paid = await pay(calls, ahead);
      now += PREPAID_MS / 2;
      return paid;
    };
    const account = bucket.account(1, slow);
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 20 }, async () => account.spend()));
    expect(asked.slice(1).every((ahead) => ahead === 0)).toBe(true);
  });

  it('asks for one prepayment at a time, and again after one that failed', async () => {
    const bucket = new Bucket(BUSY, () => 10);
    const replies: (() => void)[] = [];
    const asked: number[] = [];
    const account = bucket.account(1, (_calls, ahead) => {
      asked.push(ahead);
      return new Promise((_resolve, reject) => replies.push(() => reject(new Error('away'))));
    });
    const wave = (): Promise<unknown>[] => Array.from({ length: 20 }, async () => account.spend());
    const waves = [...wave()];
    await nextTurn();
    await nextTurn();
    waves.push(...wave());
    await nextTurn();
    await nextTurn();
    expect(asked).toEqual([10, 0]);
    for (const reply of replies) reply();
    expect((await Promise.allSettled(waves)).every(({ status }) => status === 'rejected')).toBe(true);
    const last = wave();
    await nextTurn();
    await nextTurn();
    expect(asked).toEqual([10, 0, 30]);
    replies.at(-1)?.();
    await Promise.allSettled(last);
  });

  it('lets no window of time have more than burst, rate and what comes back in PREPAID_MS (A2A-SEC-05)', async () => {
    const wave = fc.record({ pause: fc.nat(150), calls: fc.integer({ min: 1, max: 60 }), who: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(fc.array(wave, { maxLength: 60 }), fc.constantFrom(1, 5), async (waves, cost) => {
        let now = 1_000;
        const bucket = new Bucket(BUSY, () => now);
        const replicas = [0, 1, 2].map(() => bucket.account(cost));
        const made: { readonly at: number; readonly units: number }[] = [];
        for (const { pause, calls, who } of waves) {
          now += pause;
          const decisions = await Promise.all(Array.from({ length: calls }, async () => replicas[who]!.spend()));
          made.push({ at: now, units: decisions.filter(({ isAllowed }) => isAllowed).length * cost });
        }
        for (let from = 0; from < made.length; from += 1) {
          let units = 0;
          for (const { at, units: more } of made.slice(from)) {
            units += more;
            const ms = at - made[from]!.at + PREPAID_MS;
            expect(units).toBeLessThanOrEqual(BUSY.burst + ms + 1e-6);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps from others a sixteenth of what is left at most', async () => {
    let now = 1_000;
    const bucket = new Bucket(BUSY, () => now);
    const gone = bucket.account(1);
    await Promise.all(Array.from({ length: 100 }, async () => gone.spend()));
    // It ends with what it has paid ahead.
    const decisions = await called(bucket.account(1), 400);
    const spent = 100 + decisions.filter(({ isAllowed }) => isAllowed).length;
    expect(spent).toBeLessThan(400);
    expect(spent).toBeGreaterThanOrEqual(400 - 300 / 16);
    now += 20;
    expect((await called(bucket.account(1), 21)).filter(({ isAllowed }) => isAllowed)).toHaveLength(20);
  });
});
