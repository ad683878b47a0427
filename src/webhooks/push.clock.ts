import { Injectable } from '@nestjs/common';
import { RedisClock } from '../platform/redis/redis-clock.js';

/**
 * The time by which deliveries are planned: the clock of Redis, so that the clocks of pods do not matter. A test moves
 * its own time ahead of it instead of waiting for three days.
 */
@Injectable()
export class PushClock {
  /** Milliseconds by which this time is ahead of Redis; 0 in production. */
  aheadMs = 0;

  constructor(private readonly clock: RedisClock) {}

  now(): number {
    return this.clock.now() + this.aheadMs;
  }
}
