import { Injectable } from '@nestjs/common';
import { requireRoom } from '../../security/limit/quota.js';
import type { Principal } from '../../security/auth/principal.js';

/** How many things of a kind are open at once: in this process, and of one person. */
interface SlotRules {
  /** Their name in errors. */
  readonly subject: string;
  readonly most: number;
  readonly mostOfCaller: number;
}

/** Counts what people keep open at the console, apart from the streams of callers, so that neither takes the other's room. */
abstract class CallerSlots {
  private readonly counts = new Map<string, number>();
  private open = 0;

  protected constructor(private readonly rules: SlotRules) {}

  /** Takes a slot and gives the function that frees it; it is called once. @throws RateLimitedError */
  take({ tenant, client, subject }: Principal): () => void {
    const caller = JSON.stringify([tenant, client, subject]);
    const ofCaller = this.counts.get(caller) ?? 0;
    const { subject: name, most, mostOfCaller } = this.rules;
    requireRoom(this.open, { subject: name, limit: most, retryAfterSeconds: 10 });
    requireRoom(ofCaller, { subject: `${name} of one caller`, limit: mostOfCaller, retryAfterSeconds: 10 });
    this.counts.set(caller, ofCaller + 1);
    this.open += 1;
    return () => {
      const left = (this.counts.get(caller) ?? 1) - 1;
      if (left === 0) this.counts.delete(caller);
      else this.counts.set(caller, left);
      this.open -= 1;
    };
  }
}

/** Live feeds of consoles: tabs of one person share one. */
@Injectable()
export class FeedSlots extends CallerSlots {
  constructor() {
    super({ subject: 'open consoles', most: 200, mostOfCaller: 10 });
  }
}

/** Calls to other agents from playgrounds. Each holds at most 8 MiB of an answer. */
@Injectable()
export class CallSlots extends CallerSlots {
  constructor() {
    super({ subject: 'calls to other agents', most: 50, mostOfCaller: 4 });
  }
}
