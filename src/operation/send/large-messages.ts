import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../security/auth/principal.js';
import { CallLimits } from '../../security/limit/call-limits.js';
import { quotaExceeded, type Quota } from '../../security/limit/quota.js';
import { RateLimitedError } from '../../security/limit/rate-limited.error.js';
import { StorageRoom } from './storage-room.js';

/** A message of this size takes long enough to parse and store that small ones of others would wait for many of them. */
const LARGE_BYTES = 256 * 1024;
/** Large messages that are parsed and stored at once: of a client, and in this process. */
const MOST_OF_CLIENT = 1;
const MOST = 4;
/** How long one waits for its turn, and how many of a client may: each of them is in memory. */
const WAIT_MS = 5_000;
const MOST_WAITING = 8;
const RETRY_AFTER_S = 5;
/** How often a client without room may have one read nevertheless: it may repeat a message that was accepted. */
const REPEAT_EVERY_MS = 10_000;

/** 'perhaps-repeated': there is no room, and what is read is stored only if it was accepted before. */
export type LargeAdmission = 'fits' | 'perhaps-repeated';

interface Waiting {
  readonly client: string;
  readonly begin: () => void;
}

/**
 * The large messages that are under way in this process: few at a time, so that small ones of others are served between
 * them. One that would not be stored is refused before it is read, unless it may repeat a message that was accepted.
 */
@Injectable()
export class LargeMessages {
  private readonly underWay = new Map<string, number>();
  private waiting: readonly Waiting[] = [];
  private count = 0;
  /** Clients and the last time that one was read for which there was no room, the latest last. */
  private readonly readAnyway = new Map<string, number>();

  constructor(
    private readonly room: StorageRoom,
    @Inject(CallLimits) private readonly limits: Pick<CallLimits, 'countRefusal'>,
  ) {}

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
      if (!this.mayRepeat(clientOf(principal))) throw this.counted(error);
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
    const client = clientOf(principal);
    if (this.mayBegin(client)) this.begin(client);
    else await this.turnOf(client);
    let isUnderWay = true;
    const leave = (): void => {
      if (isUnderWay) this.end(client);
      isUnderWay = false;
    };
    try {
      // While it was read and waited, others may have taken the room.
      if (admission !== 'perhaps-repeated') await this.requireRoom(principal, bytes);
      return leave;
    } catch (error) {
      leave();
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

  private mayBegin(client: string): boolean {
    return this.count < MOST && (this.underWay.get(client) ?? 0) < MOST_OF_CLIENT;
  }

  private begin(client: string): void {
    this.count += 1;
    this.underWay.set(client, (this.underWay.get(client) ?? 0) + 1);
  }

  private end(client: string): void {
    this.count -= 1;
    const left = (this.underWay.get(client) ?? 1) - 1;
    if (left === 0) this.underWay.delete(client);
    else this.underWay.set(client, left);
    this.waiting.find((one) => this.mayBegin(one.client))?.begin();
  }

  private turnOf(client: string): Promise<void> {
    const quota: Quota = { subject: 'large messages', limit: MOST_OF_CLIENT, retryAfterSeconds: RETRY_AFTER_S };
    if (this.waiting.filter((one) => one.client === client).length >= MOST_WAITING)
      throw this.counted(quotaExceeded(quota));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(late);
        this.waiting = this.waiting.filter((one) => one !== waiting);
      };
      const waiting: Waiting = {
        client,
        begin: () => {
          leave();
          this.begin(client);
          resolve();
        },
      };
      const late = setTimeout(() => {
        leave();
        reject(this.counted(quotaExceeded(quota)));
      }, WAIT_MS);
      this.waiting = [...this.waiting, waiting];
    });
  }
}

function clientOf({ tenant, client }: Principal): string {
  return JSON.stringify([tenant, client]);
}
