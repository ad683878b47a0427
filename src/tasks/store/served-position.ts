import { Injectable } from '@nestjs/common';

/** Longer than the time between two new runs of a busy queue. */
const FORGOTTEN_AFTER_MS = 10_000;

/**
 * The position now served, as far as this process knows from the fair queues of all shards. The queue of a shard that
 * was empty would start at 0 again, and its runs would overtake all runs in other shards: it starts here instead.
 */
@Injectable()
export class ServedPosition {
  private position = 0;
  private observedAt = 0;

  /** 0 after a while without updates: no run has waited since. */
  get latest(): number {
    return Date.now() - this.observedAt < FORGOTTEN_AFTER_MS ? this.position : 0;
  }

  /** @param position the reply of a queue to a new run; undefined if no other run waits */
  observe(position: number | undefined): void {
    if (position === undefined) return;
    this.position = Math.max(this.latest, position);
    this.observedAt = Date.now();
  }
}
