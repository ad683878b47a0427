import { Injectable } from '@nestjs/common';
import { requireRoom } from '../../security/limit/quota.js';
import type { Principal } from '../../security/auth/principal.js';

/** Feeds that this process keeps open, and those of one person: tabs share one. */
const MOST = 200;
const MOST_OF_CALLER = 10;

/** Counts the open feeds of consoles, apart from the streams of callers, so that neither takes the other's room. */
@Injectable()
export class FeedSlots {
  private readonly counts = new Map<string, number>();
  private open = 0;

  /** Takes a slot and gives the function that frees it; it is called once. @throws RateLimitedError */
  take({ tenant, client, subject }: Principal): () => void {
    const caller = JSON.stringify([tenant, client, subject]);
    const ofCaller = this.counts.get(caller) ?? 0;
    requireRoom(this.open, { subject: 'open consoles', limit: MOST, retryAfterSeconds: 10 });
    requireRoom(ofCaller, { subject: 'open consoles of one caller', limit: MOST_OF_CALLER, retryAfterSeconds: 10 });
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
