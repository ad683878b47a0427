import { Injectable } from '@nestjs/common';

/** Longer than the time between two new runs of a busy queue. */
const FORGOTTEN_AFTER_MS = 10_000;

/**
 * The position now served, as far as this process knows from the fair queues of all shards. The queue of a shard that was
 * empty would start at 0 again, and its runs would overtake all runs in other shards: it starts here instead.
 */
@Injectable()
export class ServedPlace {
  private place = 0;
  private heardAt = 0;

  /** 0 after a while without news: no run has waited since. */
  get latest(): number {
    return Date.now() - this.heardAt < FORGOTTEN_AFTER_MS ? this.place : 0;
  }

  /** @param place the reply of a queue to a new run; undefined if no other run waits */
  hear(place: number | undefined): void {
    if (place === undefined) return;
    this.place = Math.max(this.latest, place);
    this.heardAt = Date.now();
  }
}
