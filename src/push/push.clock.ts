import { Injectable } from '@nestjs/common';

/**
 * The time by which deliveries are planned. Redis keeps the time, so that the clocks of pods do not matter; a test moves
 * its own time ahead of it instead of waiting for three days.
 */
@Injectable()
export class PushClock {
  /** Milliseconds by which this time is ahead of Redis; 0 in production. */
  aheadMs = 0;

  now(): number {
    return Date.now() + this.aheadMs;
  }
}
