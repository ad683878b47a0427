import { Inject, Injectable } from '@nestjs/common';
import { Channels } from '../../platform/redis/connection/channels.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { ProcessIdentity } from '../../platform/redis/process-identity.js';
import { TaskKeys } from '../../tasks/task.keys.js';
import { TaskOptions } from '../../tasks/task.options.js';
import { QUEUE_SCRIPTS } from './queue.scripts.js';

/** Three polls of a worker that has free slots. */
const IDLE_MS = 1_500;

/**
 * The worker processes with free slots and nothing to do, and a pub/sub hint that wakes one of them: the fast path of a
 * wake-up. A hint may be lost: a process with a free slot polls, and a full one passes the hint on.
 */
@Injectable()
export class IdleWorkers {
  private readonly key: string;
  private readonly channels: string;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
    private readonly identity: ProcessIdentity,
    private readonly subscriber: Channels,
  ) {
    const keys = new TaskKeys(keyPrefix);
    this.key = keys.idleWorkers;
    this.channels = keys.wakeUps('');
  }

  /** Calls `wake` for each hint to this process. */
  async listen(wake: () => void): Promise<void> {
    await this.subscriber.listenFromStart(this.channels + this.identity.id, wake);
  }

  /** Announces that this process is idle. Never throws: otherwise a job wakes the process. */
  announce(): void {
    this.say(IDLE_MS);
  }

  /** Announces that this process begins no further runs. */
  leave(): void {
    this.say(0);
  }

  /** Wakes up to `most` idle processes. Returns their number; 0 means that a wake-up job is needed. */
  async wake(most: number): Promise<number> {
    const args = { maxWoken: most, channels: this.channels };
    return Number(await QUEUE_SCRIPTS.hint.run(this.redis, { idle: this.key }, args));
  }

  private say(forMs: number): void {
    const args = { process: this.identity.id, idleMs: forMs };
    QUEUE_SCRIPTS.idle.run(this.redis, { idle: this.key }, args).catch(() => undefined);
  }
}
