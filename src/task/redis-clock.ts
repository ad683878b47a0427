import { Injectable } from '@nestjs/common';
import type { RedisClient } from '../platform/redis/redis-client.js';

/**
 * The clock of Redis as this process knows it. Times of statuses come from it: pods' clocks differ by seconds, and lists
 * and clients that poll for newer statuses go by these times (M12).
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

/** The server's clock, asked for: whole ms since 1970. */
export async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** A time as names of lists have it: 13 digits, so that they sort. */
export function padded(ms: number): string {
  return String(Math.max(0, Math.ceil(ms))).padStart(13, '0');
}
