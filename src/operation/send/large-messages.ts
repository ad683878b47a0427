import { Inject, Injectable } from '@nestjs/common';
import { Budget } from '../../platform/traffic/budget.js';
import type { Principal } from '../../security/auth/principal.js';
import { CallLimits } from '../../security/limit/call-limits.js';
import { quotaExceeded } from '../../security/limit/quotas/quota.js';
import { RateLimitedError } from '../../security/limit/rates/rate-limited.error.js';
import { clientName } from '../../security/limit/quotas/traffic-budgets.js';
import { StorageRoom } from './storage-room.js';

/** A message of this size takes long enough to parse and store that small ones of others would wait for many of them. */
const LARGE_BYTES = 256 * 1024;
/** Large messages that are parsed and stored at once: of a client, and in this process. */
const TURNS = { client: 1, process: 4 } as const;
const RETRY_AFTER_S = 5;
/** How often a client without room may have one read nevertheless: it may repeat a message that was accepted. */
const REPEAT_EVERY_MS = 10_000;

/** 'perhaps-repeated': there is no room, and what is read is stored only if it was accepted before. */
export type LargeAdmission = 'fits' | 'perhaps-repeated';

/**
 * The large messages that are under way in this process: few at a time, so that small ones of others are served between
 * them. One that would not be stored is refused before it is read, unless it may repeat a message that was accepted.
 */
@Injectable()
export class LargeMessages {
  private readonly turns: Budget;
  /** Clients and the last time that one was read for which there was no room, the latest last. */
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
   * Before a message of so many bytes is read. @throws RateLimitedError where it would not be stored, but for one in ten
   * seconds of each client
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
   * Waits until a message of so many bytes, which was read, may be parsed. Returns what is to be called when it is stored
   * or refused, however often.
   * @param admission what `requireRoom` said before it was read; absent where it was not asked
   * @throws RateLimitedError where there is no room to store it, or its turn does not come in time
   */
  async enter(principal: Principal, bytes: number, admission?: LargeAdmission): Promise<() => void> {
    const turn = await this.turns.take(clientName(principal), 1);
    try {
      // While it was read and waited, others may have taken the room.
      if (admission !== 'perhaps-repeated') await this.requireRoom(principal, bytes);
      return () => {
        turn.free();
      };
    } catch (error) {
      turn.free();
      throw error;
    }
  }

  /** These calls are refused before the operation that counts the refusals of others. */
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
