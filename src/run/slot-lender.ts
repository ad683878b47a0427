import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Channels } from '../platform/redis/connection/channels.js';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { ProcessIdentity } from '../platform/redis/process-identity.js';
import { type GivenRun, givenRun } from '../task/lent-run.js';
import { TaskKeys } from '../task/task.keys.js';
import { TaskOptions } from '../task/task.options.js';
import { RunSlots } from './run-slots.js';

/** A process that has used no slot for so long gets no more until it asks again. */
const UNUSED_MS = 10_000;
/** Of the slots of a process, so many are never lent. */
const OWN_SHARE = 0.25;
/** A borrower that has no more of its share than this gets the rest of it again. */
const REFILLED_AT = 0.75;
/** Processes that have slots of this one, at most. */
const MOST_BORROWERS = 64;

interface Borrower {
  /** Tells what is lent to it from what was lent before and taken back. */
  readonly loan: string;
  /** Slots that are lent to it and have no run yet. */
  left: number;
  usedAt: number;
}

/**
 * Lends free slots of this worker to processes that take messages, three quarters of them at most and only while the
 * fair queues are empty. A run that is given to this process has been claimed for it, and begins at once.
 */
@Injectable()
export class SlotLender {
  private readonly log = new Logger(SlotLender.name);
  private isLending = false;
  private readonly borrowers = new Map<string, Borrower>();
  private readonly keys: TaskKeys;
  private readonly channel: string;
  private begin: (given: GivenRun) => void = () => undefined;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
    private readonly identity: ProcessIdentity,
    private readonly channels: Channels,
    private readonly slots: RunSlots,
  ) {
    this.keys = new TaskKeys(keyPrefix);
    this.channel = this.keys.runsOf(identity.id);
  }

  /** Calls `begin` for each run that is given to this process. */
  async listen(begin: (given: GivenRun) => void): Promise<void> {
    this.begin = begin;
    await this.channels.listen(this.keys.lentSlots(this.identity.id), this.receive);
  }

  /** A process could use slots of this one; it gets them when the fair queues are empty. */
  askedBy(channel: string): void {
    const present = this.borrowers.get(channel);
    if (present !== undefined) present.usedAt = Date.now();
    else if (this.borrowers.size < MOST_BORROWERS)
      this.borrowers.set(channel, { loan: randomUUID().slice(0, 8), left: 0, usedAt: Date.now() });
  }

  /** The fair queues are empty: lends what is free, and says that what is lent still is, but to those that have ended. */
  renew(): void {
    const now = Date.now();
    for (const [channel, borrower] of this.borrowers) {
      if (now - borrower.usedAt > UNUSED_MS) this.drop(channel, borrower);
      else this.lend(channel, borrower);
    }
  }

  /** Runs wait in the fair queues: all free slots are for them. */
  takeBack(): void {
    for (const [channel, borrower] of this.borrowers) this.drop(channel, borrower);
  }

  private readonly receive = (message: string): void => {
    const given = givenRun(message, this.channel);
    const borrower = this.borrowers.get(given.borrower);
    if (borrower !== undefined && borrower.left > 0) {
      borrower.left -= 1;
      borrower.usedAt = Date.now();
      this.slots.lend(-1);
    }
    this.begin(given);
  };

  /** Whether slots are lent that have no run: a full process may still take them back. */
  get hasLent(): boolean {
    return this.lent > 0;
  }

  /** A slot is free again: at the end of this turn of the event loop, lends more to who has used a part of what it may have. */
  lendMore(): void {
    if (this.borrowers.size === 0 || this.isLending) return;
    this.isLending = true;
    process.nextTick(() => {
      this.isLending = false;
      this.refill();
    });
  }

  private refill(): void {
    for (const [channel, borrower] of this.borrowers) {
      const share = this.share();
      if (this.spare > 0 && borrower.left <= share * REFILLED_AT) this.lend(channel, borrower);
    }
  }

  private get lent(): number {
    let lent = 0;
    for (const { left } of this.borrowers.values()) lent += left;
    return lent;
  }

  /** Free slots that may be lent beside those that are: the rest is for the fair queues. */
  private get spare(): number {
    return this.slots.free - Math.ceil(this.slots.count * OWN_SHARE);
  }

  /** What each borrower may have. */
  private share(): number {
    return Math.max(0, Math.floor((this.spare + this.lent) / this.borrowers.size));
  }

  /** One that had more before others asked keeps it until it is used or taken back: the others get what is spare. */
  private lend(channel: string, borrower: Borrower): void {
    const more = Math.max(0, Math.min(this.spare, this.share() - borrower.left));
    borrower.left += more;
    this.slots.lend(more);
    this.say(channel, `${borrower.loan} ${String(more)}`);
  }

  private drop(channel: string, { left }: Borrower): void {
    this.borrowers.delete(channel);
    this.slots.lend(-left);
    this.say(channel, 'back');
  }

  /** A process that does not hear it goes by what it has heard before, for a second and a half. */
  private say(channel: string, text: string): void {
    this.redis.publish(channel, `${this.identity.id} ${text}`).catch((error: unknown) => {
      this.log.debug({ event: 'slots.not-lent', reason: String(error) });
    });
  }
}
