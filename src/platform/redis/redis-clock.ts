import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from './connection/connections.js';
import { PeriodicCheck } from './health/periodic-check.js';
import type { RedisClient } from './connection/redis-client.js';

/**
 * This process's estimate of the clock of Redis. Scripts set times by it, and pods' clocks differ by seconds: every
 * time set by Redis, or compared by another process, is judged by this clock (M4, M12).
 */
@Injectable()
export class RedisClock {
  /** Redis' clock minus this process's, ms. */
  private ahead = 0;

  /** Ms since 1970. */
  now(): number {
    return Date.now() + this.ahead;
  }

  /**
   * Records a time of Redis, taken between sending and now. The offset changes only if the current estimate is
   * impossible.
   */
  observe(redisMs: number, sentAt: number): void {
    const least = redisMs - Date.now();
    const most = redisMs - sentAt + 1;
    this.ahead = Math.min(Math.max(this.ahead, least), most);
  }
}

const EVERY_MS = 5_000;

/** Keeps the clock of Redis known in each process, even if its scripts return no time. */
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
    // Calls notice an outage themselves, and the clocks do not drift meanwhile.
    await redisNow(this.redis).then(
      (now) => {
        this.clock.observe(now, sentAt);
      },
      () => undefined,
    );
  }
}

/** The server's clock, by a request: whole ms since 1970. */
export async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** A time in names of sorted lists: 13 digits. */
export function padded(ms: number): string {
  return String(Math.max(0, Math.ceil(ms))).padStart(13, '0');
}
