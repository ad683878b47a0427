import { Injectable } from '@nestjs/common';

/** Longer than a line that is being served goes without a new run that joins it. */
const FORGOTTEN_AFTER_MS = 10_000;

/**
 * The place that is being served, as this process has heard from the lines of all shards. A shard whose line was empty
 * would begin at 0 again, and its runs would pass those that wait in the others: it begins here instead.
 */
@Injectable()
export class ServedPlace {
  private place = 0;
  private heardAt = 0;

  /** 0 when nothing was heard for a while: nobody has waited since. */
  get latest(): number {
    return Date.now() - this.heardAt < FORGOTTEN_AFTER_MS ? this.place : 0;
  }

  /** @param place what a line answered to one that joined it; undefined when nobody else stands in it */
  hear(place: number | undefined): void {
    if (place === undefined) return;
    this.place = Math.max(this.latest, place);
    this.heardAt = Date.now();
  }
}
