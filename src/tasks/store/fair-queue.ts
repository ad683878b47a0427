import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { isCrossSlot } from '../../platform/redis/connection/cross-slot.js';
import { RedisClock } from '../../platform/redis/redis-clock.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import type { ScriptArgs } from '../../platform/redis/script/redis-script.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** A run that waits for a worker. */
export interface WaitingRun {
  readonly taskId: string;
  /** The skill, if it has its own concurrency limit; else ''. */
  readonly skillId: string;
  /** Lower positions are served first. */
  readonly position: number;
  /** Whether its next loss ends its task: it begins in a process without another such run. */
  readonly isSuspect: boolean;
}

/** Suspects have positions below all others, by the time of their loss (lua/lib/queue/fair_queue.lua). */
const LOWEST_OTHER = -1;

/** Runs of limited skills read in each queue to find one that may begin. */
const MAX_SEARCHED = 1_000;

/** The fair queues of all shards, as one. Read-only: claiming a run removes it from its queue. */
@Injectable()
export class FairQueue {
  private readonly keys: TaskKeys;
  private readonly leaseMs: number;
  private isApart = false;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix, leaseMs }: TaskOptions,
    private readonly clock: RedisClock,
  ) {
    this.keys = new TaskKeys(keyPrefix);
    this.leaseMs = leaseMs;
  }

  /**
   * The next runs: suspects, and at most `limit` others.
   * @param limitedSkills limited skills with free slots: runs of other limited skills are skipped; 'all' skips none
   */
  async heads(limit: number, limitedSkills: readonly string[] | 'all'): Promise<readonly WaitingRun[]> {
    const named = limitedSkills === 'all' ? '*' : limitedSkills.length === 0 ? '' : ` ${limitedSkills.join(' ')} `;
    const flat = await this.ask({ maxRuns: limit, skills: named, maxLimited: MAX_SEARCHED });
    const heads: WaitingRun[] = [];
    for (let at = 0; at < flat.length; at += 2) {
      const [taskId = '', skillId = ''] = (flat[at] ?? '').split(' ');
      const position = Number(flat[at + 1]);
      heads.push({ taskId, skillId, position, isSuspect: position < LOWEST_OTHER });
    }
    const most = limit + heads.filter(({ isSuspect }) => isSuspect).length;
    return heads.sort((a, b) => a.position - b.position).slice(0, most);
  }

  /** Removes an unrunnable task from its queue, whose keys may have expired. */
  async drop({ taskId, skillId }: WaitingRun): Promise<void> {
    const { queue, limitedQueue } = this.keys.queuesOf(taskId);
    await (skillId === '' ? this.redis.zrem(queue, taskId) : this.redis.zrem(limitedQueue, `${taskId} ${skillId}`));
  }

  /** Waiting time of the next run, in milliseconds; 0 without one. */
  async oldestWaitMs(): Promise<number> {
    const [head] = await this.heads(1, 'all');
    if (head === undefined) return 0;
    const [status, woken] = await this.redis.hmget(this.keys.task(head.taskId), FIELD.status, FIELD.woken);
    const since = Math.max(Number(status?.slice(0, 13) ?? this.clock.now()), Number(woken ?? 0));
    return Math.max(0, this.clock.now() - since);
  }

  /** Number of waiting runs. */
  async waiting(): Promise<number> {
    const queues = ALL_SHARDS.flatMap((shard) => [this.keys.fairQueue(shard), this.keys.limitedQueue(shard)]);
    const sizes = await Promise.all(queues.map((queue) => this.redis.zcard(queue)));
    return sumOf(sizes);
  }

  /** Number of active runs, approximately: open tasks whose lease ends soon. */
  async running(): Promise<number> {
    const now = this.clock.now();
    const count = (set: string): Promise<number> => this.redis.zcount(set, now, now + this.leaseMs);
    const dueSoon = await Promise.all(ALL_SHARDS.map((shard) => count(this.keys.due(shard))));
    const wakeSoon = await Promise.all(ALL_SHARDS.map((shard) => count(this.keys.parked(shard))));
    return Math.max(0, sumOf(dueSoon) - sumOf(wakeSoon));
  }

  /** Number of parked tasks: they need no worker until they wake. */
  async parked(): Promise<number> {
    return sumOf(await Promise.all(ALL_SHARDS.map((shard) => this.redis.zcard(this.keys.parked(shard)))));
  }

  /** One script on a single server; on a Cluster one per shard. */
  private async ask(args: Heads): Promise<readonly string[]> {
    if (this.isApart) return this.askApart(args);
    try {
      return await this.askShards(ALL_SHARDS, args);
    } catch (error) {
      if (!isCrossSlot(error)) throw error;
      this.isApart = true;
      return this.askApart(args);
    }
  }

  private async askApart(args: Heads): Promise<readonly string[]> {
    return (await Promise.all(ALL_SHARDS.map((shard) => this.askShards([shard], args)))).flat();
  }

  private async askShards(shards: readonly number[], args: Heads): Promise<readonly string[]> {
    const keys = {
      queues: shards.map((shard) => this.keys.fairQueue(shard)),
      limitedQueues: shards.map((shard) => this.keys.limitedQueue(shard)),
    };
    return (await TASK_SCRIPTS.heads.run(this.redis, keys, args)) as readonly string[];
  }
}

type Heads = ScriptArgs<typeof TASK_SCRIPTS.heads>;

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
