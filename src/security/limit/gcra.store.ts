import type { RedisClient } from '../../platform/redis/redis-client.js';
import { RedisScript } from '../../platform/redis/redis-script.js';
import { withDeadline } from '../../platform/redis/deadline.js';
import { millisecondsPerUnit, type Rate, type RateDecision } from './rate.js';

const GCRA = new RedisScript(new URL('./lua/gcra.lua', import.meta.url));

/** A limit that answers late is worse than none: callers wait for it in every call. */
const DEADLINE_MS = 250;

/** Calls of one price that ask for one bucket in the same turn of the event loop: they are counted together. */
interface Turn {
  calls: number;
  readonly paid: Promise<Paid>;
}

/** The reply of gcra.lua. */
type Paid = readonly [calls: number, unitsLeft: number, resetMicros: number, waitMicros: number];

/** The rates of all replicas together, in Redis. */
export class GcraStore {
  private readonly turns = new Map<string, Turn>();

  constructor(private readonly redis: RedisClient) {}

  /** Spends units of a bucket if there are enough. Rejects when Redis does not answer within 250 ms. */
  async spend(key: string, rate: Rate, cost: number): Promise<RateDecision> {
    const turn = this.turnOf(key, rate, cost);
    turn.calls += 1;
    const place = turn.calls;
    const [calls, unitsLeft, resetMicros, waitMicros] = await turn.paid;
    const isAllowed = place <= calls;
    // As it was after this call and before those behind it.
    const behind = Math.max(0, calls - place) * cost;
    return {
      isAllowed,
      rate,
      remaining: unitsLeft + behind,
      resetSeconds: Math.ceil((resetMicros - behind * microsPerUnit(rate)) / 1e6),
      retryAfterSeconds: isAllowed ? 0 : Math.ceil(waitMicros / 1e6),
    };
  }

  private turnOf(key: string, rate: Rate, cost: number): Turn {
    const name = `${String(cost)} ${key}`;
    const present = this.turns.get(name);
    if (present !== undefined) return present;
    const paid = new Promise(setImmediate).then(() => {
      this.turns.delete(name);
      return this.pay(key, rate, [cost, turn.calls]);
    });
    const turn: Turn = { calls: 0, paid };
    this.turns.set(name, turn);
    return turn;
  }

  private async pay(key: string, rate: Rate, [cost, calls]: readonly [number, number]): Promise<Paid> {
    const work = GCRA.run(this.redis, [key], [microsPerUnit(rate), rate.burst, cost, calls]);
    const answer: unknown = await withDeadline(work, DEADLINE_MS);
    if (!isPaid(answer)) throw new Error('gcra.lua gave an answer of another form');
    return answer;
  }
}

function microsPerUnit(rate: Rate): number {
  return Math.max(1, Math.round(millisecondsPerUnit(rate) * 1000));
}

function isPaid(value: unknown): value is Paid {
  return Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === 'number');
}
