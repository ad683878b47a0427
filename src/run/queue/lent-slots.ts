import { Inject, Injectable } from '@nestjs/common';
import { Channels } from '../../platform/redis/connection/channels.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { ProcessIdentity } from '../../platform/redis/process-identity.js';
import type { LentSlot } from '../../task/lent-run.js';
import { TaskKeys } from '../../task/task.keys.js';
import { TaskOptions } from '../../task/task.options.js';

/** A worker says three times in this time that its slots are still lent; one that does not may be gone. */
const GOOD_MS = 1_500;

interface Lender {
  /** Which of its loans this is: another one replaces it. */
  readonly loan: string;
  left: number;
  until: number;
}

/**
 * The slots that workers have lent to this process, which takes messages and runs no skills. A run gets such a slot
 * in the script that stores its task, so it needs no fair queue, no wake-up and no claim.
 */
@Injectable()
export class LentSlots {
  private readonly keys: TaskKeys;
  private readonly lenders = new Map<string, Lender>();
  private own = '';

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
    private readonly identity: ProcessIdentity,
    private readonly channels: Channels,
  ) {
    this.keys = new TaskKeys(keyPrefix);
  }

  /** The channel on which workers lend slots to this process; '' while it wants none. */
  get channel(): string {
    return this.own;
  }

  /** Borrows from now on. Not on a Cluster: a script there does not know whether a worker has heard it. */
  async listen(): Promise<void> {
    if (this.redis.isCluster) return;
    const channel = this.keys.borrower(this.identity.id);
    await this.channels.listen(channel, this.receive);
    this.own = channel;
  }

  /** A slot for one run, of the worker that has lent most; undefined if none is left. */
  take(): LentSlot | undefined {
    const now = Date.now();
    let [id, best]: [string, Lender | undefined] = ['', undefined];
    for (const [name, lender] of this.lenders) {
      if (lender.until > now && lender.left > (best?.left ?? 0)) [id, best] = [name, lender];
    }
    if (best === undefined) return undefined;
    const lender = best;
    lender.left -= 1;
    return {
      channel: this.keys.runsOf(id),
      lender: this.keys.lentSlots(id),
      borrower: this.own,
      release: () => {
        lender.left += 1;
      },
    };
  }

  /** `<process> <loan> <slots more>`, or `<process> back`. */
  private readonly receive = (message: string): void => {
    const [id = '', loan = '', more] = message.split(' ');
    if (more === undefined) {
      this.lenders.delete(id);
      return;
    }
    const present = this.lenders.get(id);
    const left = (present?.loan === loan ? present.left : 0) + Number(more);
    this.lenders.set(id, { loan, left, until: Date.now() + GOOD_MS });
  };
}
