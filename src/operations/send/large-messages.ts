import { Inject, Injectable } from '@nestjs/common';
import { Budget } from '../../platform/traffic/budget.js';
import type { Principal } from '../../auth/principal.js';
import { CallLimits } from '../../limits/call-limits.js';
import { quotaExceeded } from '../../limits/quotas/quota.js';
import { RateLimitedError } from '../../limits/rates/rate-limited.error.js';
import { clientName } from '../../limits/quotas/traffic-budgets.js';
import { StorageRoom } from './storage-room.js';

/** Messages from this size on delay small ones of others, since they take long to parse and store. */
const LARGE_BYTES = 256 * 1024;
/** Large messages parsed and stored concurrently: per client, and per process. */
const TURNS = { client: 1, process: 4 } as const;
const RETRY_AFTER_S = 5;
/** Interval at which a client without room may have one read: it may repeat an accepted message. */
const REPEAT_EVERY_MS = 10_000;

/** 'perhaps-repeated': there is no room, and the message is stored only if it was accepted before. */
export type LargeAdmission = 'fits' | 'perhaps-repeated';

/**
 * Limits the large messages in progress in this process, so that small ones of others are served in between. A message
 * without room is refused before it is read, unless it may repeat an accepted one.
 */
@Injectable()
export class LargeMessages {
  private readonly turns: Budget;
  /** Clients with the last time that a message without room was read, the latest last. */
  private readonly readAnyway = new Map<string, number>();

  constructor(
    private readonly room: StorageRoom,
    @Inject(CallLimits) private readonly limits: Pick<CallLimits, 'countRefusal'>,
  ) {
    const quota = { subject: 'large messages', limit: TURNS.client, retryAfterSeconds: RETRY_AFTER_S };
    this.turns = new Budget(TURNS, () => this.counted(quotaExceeded(quota)));
  }

  isLarge(bytes: number): boolean {
    return bytes >= LARGE_BYTES;
  }

  /**
   * Checks the room for a message of this size before it is read. @throws RateLimitedError without room, except once in
   * ten seconds per client
   */
  async requireRoom(principal: Principal, bytes: number): Promise<LargeAdmission> {
    // The caller of the open start is this machine itself.
    if (principal.method === 'local') return 'fits';
    try {
      await this.room.requireFor(principal, bytes);
      return 'fits';
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
      if (!this.mayRepeat(clientName(principal))) throw this.counted(error);
      return 'perhaps-repeated';
    }
  }

  /**
   * Waits until a message of this size, which was read, may be parsed. Returns the function to call when it is stored
   * or refused; repeated calls have no effect.
   * @param admission result of `requireRoom` before it was read; absent without that check
   * @throws RateLimitedError when there is no room to store it, or the wait times out
   */
  async enter(principal: Principal, bytes: number, admission?: LargeAdmission): Promise<() => void> {
    const turn = await this.turns.take(clientName(principal), 1);
    try {
      // Others may have taken the room while it was read and waited.
      if (admission !== 'perhaps-repeated') await this.requireRoom(principal, bytes);
      return () => {
        turn.free();
      };
    } catch (error) {
      turn.free();
      throw error;
    }
  }

  /** These calls are refused before the operation that counts other refusals. */
  private counted(refusal: RateLimitedError): RateLimitedError {
    this.limits.countRefusal(refusal);
    return refusal;
  }

  private mayRepeat(client: string): boolean {
    const now = performance.now();
    for (const [known, at] of this.readAnyway) {
      if (now - at < REPEAT_EVERY_MS) break;
      this.readAnyway.delete(known);
    }
    if (this.readAnyway.has(client)) return false;
    this.readAnyway.set(client, now);
    return true;
  }
}
