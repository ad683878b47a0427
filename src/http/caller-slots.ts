import { requireRoom } from '../limits/quotas/quota.js';
import type { Principal } from '../auth/principal.js';

/** Limits of concurrent things of a kind: per process, per tenant if set, and per caller. */
interface SlotRules {
  /** Their name in errors. */
  readonly subject: string;
  readonly most: number;
  readonly mostOfTenant?: number;
  readonly mostOfCaller: number;
}

/** Counts connections of callers other than the streams of their tasks, with separate limits. */
export abstract class CallerSlots {
  private readonly counts = new Map<string, number>();

  protected constructor(private readonly rules: SlotRules) {}

  /** Takes a slot and returns the function that frees it, to be called once. @throws RateLimitedError */
  take({ tenant, client, subject }: Principal): () => void {
    const { subject: name, most, mostOfTenant = most, mostOfCaller } = this.rules;
    const bounds = [
      [JSON.stringify([]), name, most],
      [JSON.stringify([tenant]), `${name} of one tenant`, mostOfTenant],
      [JSON.stringify([tenant, client, subject]), `${name} of one caller`, mostOfCaller],
    ] as const;
    for (const [key, of, limit] of bounds) {
      requireRoom(this.counts.get(key) ?? 0, { subject: of, limit, retryAfterSeconds: 10 });
    }
    for (const [key] of bounds) this.add(key, 1);
    return () => {
      for (const [key] of bounds) this.add(key, -1);
    };
  }

  private add(key: string, one: 1 | -1): void {
    const count = (this.counts.get(key) ?? 0) + one;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}
