import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from './connection/connections.js';
import { PeriodicCheck } from './health/periodic-check.js';
import type { RedisClient } from './connection/redis-client.js';

/**
 * The clock of Redis as this process knows it. Scripts set times by it, and pods' clocks differ by seconds: every
 * time that Redis has set, or another process compares, is judged by this clock (M4, M12).
 */
@Injectable()
export class RedisClock {
  /** Redis' clock less this process's, ms. */
  private ahead = 0;

  /** Ms since 1970. */
  now(): number {
    return Date.now() + this.ahead;
  }

  /**
   * Takes down what Redis said its time was: at some moment between two of this process. The difference is changed only
   * where it cannot have been what it was thought to be.
   */
  observe(redisMs: number, sentAt: number): void {
    const least = redisMs - Date.now();
    const most = redisMs - sentAt + 1;
    this.ahead = Math.min(Math.max(this.ahead, least), most);
  }
}

const EVERY_MS = 5_000;

/** Has each process know the clock of Redis, also one whose work asks no script that says it. */
@Injectable()
export class RedisClockWatch extends PeriodicCheck {
  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    private readonly clock: RedisClock,
  ) {
    super(EVERY_MS);
  }

  async check(): Promise<void> {
    const sentAt = Date.now();
    // Calls notice an outage by themselves, and the clocks do not part meanwhile.
    await redisNow(this.redis).then(
      (now) => {
        this.clock.observe(now, sentAt);
      },
      () => undefined,
    );
  }
}

/** The server's clock, asked for: whole ms since 1970. */
export async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** A time as names of lists have it: 13 digits, so that they sort. */
export function padded(ms: number): string {
  return String(Math.max(0, Math.ceil(ms))).padStart(13, '0');
}
