import { Redis } from 'ioredis';
import { SHARDS, TaskKeys } from '../../../src/tasks/task.keys.js';

const EVERY_MS = 200;
const LONGEST_MS = 1_000;

/** A run that waits, and the processes that reported themselves idle meanwhile: process → the times of its reports. */
interface Wait {
  readonly since: number;
  readonly said: Map<string, Set<string>>;
}

/**
 * Watches for runs that wait beside an idle worker. A process that has said three times, over more than a second, that it
 * has free slots and found nothing, while the same run waited all the time, does not see that run: no load explains it.
 */
export class IdleWatch {
  private readonly redis: Redis;
  private readonly keys: TaskKeys;
  private readonly timer: NodeJS.Timeout;
  private waits = new Map<string, Wait>();
  private isLooking = false;

  constructor(
    url: string,
    keyPrefix: string,
    private readonly onFault: (fault: string) => void,
  ) {
    this.redis = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
    this.redis.on('error', () => undefined);
    this.keys = new TaskKeys(keyPrefix);
    this.timer = setInterval(() => void this.check(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  private async check(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const heads = Array.from({ length: SHARDS }, (_unused, shard) =>
        this.redis.zrange(this.keys.fairQueue(shard), '0', '0'),
      );
      const waiting = (await Promise.all(heads)).flat();
      this.note(waiting, await this.redis.zrange(this.keys.idleWorkers, '0', '-1', 'WITHSCORES'));
    } catch {
      // Redis is away: no worker could have taken a run.
      this.waits = new Map();
    } finally {
      this.isLooking = false;
    }
  }

  private note(waiting: readonly string[], idle: readonly string[]): void {
    const now = Date.now();
    this.waits = new Map(waiting.map((run) => [run, this.waits.get(run) ?? { since: now, said: new Map() }]));
    for (const [run, { since, said }] of this.waits) {
      for (let at = 0; at < idle.length; at += 2) {
        const [process = '', time = ''] = idle.slice(at, at + 2);
        const times = (said.get(process) ?? new Set()).add(time);
        said.set(process, times);
        if (times.size < 4 || now - since <= LONGEST_MS) continue;
        this.onFault(`the run of ${run} waits for ${String(now - since)} ms beside the idle worker ${process}`);
        said.delete(process);
      }
    }
  }
}
