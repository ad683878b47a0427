import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../platform/redis/connections.js';
import { RedisClock } from './redis-clock.js';
import { SHARDS, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

/** A run that waits for a worker. */
export interface WaitingRun {
  readonly taskId: string;
  /** The skill, where it has a limit of its own; else ''. */
  readonly skillId: string;
  /** Lower positions are served first. */
  readonly place: number;
}

/** Runs of limited skills that are looked through in each queue for one that may begin. */
const LOOKED_THROUGH = 1_000;
const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_unused, shard) => shard);

/** The fair queues of all shards, seen as one. Nothing is taken here: claiming a run takes it out of its queue. */
@Injectable()
export class RunLine {
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
   * The runs that are next, at most `limit`.
   * @param limitedSkills skills with a limit of their own that have room; runs of other such skills are left out; 'all' leaves out none
   */
  async heads(limit: number, limitedSkills: readonly string[] | 'all'): Promise<readonly WaitingRun[]> {
    const named = limitedSkills === 'all' ? '*' : limitedSkills.length === 0 ? '' : ` ${limitedSkills.join(' ')} `;
    const flat = await this.ask([limit, named, LOOKED_THROUGH]);
    const heads: WaitingRun[] = [];
    for (let at = 0; at < flat.length; at += 2) {
      const [taskId = '', skillId = ''] = (flat[at] ?? '').split(' ');
      heads.push({ taskId, skillId, place: Number(flat[at + 1]) });
    }
    return heads.sort((a, b) => a.place - b.place).slice(0, limit);
  }

  /** Takes a task that cannot be run any more out of its queue, where nothing else did: its keys may have run out. */
  async drop({ taskId, skillId }: WaitingRun): Promise<void> {
    const [line, limited] = this.keys.queuesOf(taskId);
    await (skillId === '' ? this.redis.zrem(line, taskId) : this.redis.zrem(limited, `${taskId} ${skillId}`));
  }

  /** How long the run that is next has waited, in milliseconds; 0 when none waits. */
  async oldestWaitMs(): Promise<number> {
    const [head] = await this.heads(1, 'all');
    const status = head === undefined ? null : await this.redis.hget(this.keys.task(head.taskId), 't');
    return status === null ? 0 : Math.max(0, this.clock.now() - Number(status.slice(0, 13)));
  }

  /** How many runs wait. */
  async waiting(): Promise<number> {
    const queues = SHARD_NUMBERS.flatMap((shard) => [this.keys.line(shard), this.keys.limitedLine(shard)]);
    const sizes = await Promise.all(queues.map((queue) => this.redis.zcard(queue)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Number of active runs, approximately: open tasks whose lease ends soon. */
  async running(): Promise<number> {
    const now = this.clock.now();
    const counts = await Promise.all(
      SHARD_NUMBERS.map((shard) => this.redis.zcount(this.keys.due(shard), now, now + this.leaseMs)),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** One script on one server; on a Cluster one for each shard. */
  private async ask(args: readonly (string | number)[]): Promise<readonly string[]> {
    if (this.isApart) return this.askApart(args);
    try {
      return await this.askShards(SHARD_NUMBERS, args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('CROSSSLOT'))) throw error;
      this.isApart = true;
      return this.askApart(args);
    }
  }

  private async askApart(args: readonly (string | number)[]): Promise<readonly string[]> {
    return (await Promise.all(SHARD_NUMBERS.map((shard) => this.askShards([shard], args)))).flat();
  }

  private async askShards(shards: readonly number[], args: readonly (string | number)[]): Promise<readonly string[]> {
    const keys = [
      ...shards.map((shard) => this.keys.line(shard)),
      ...shards.map((shard) => this.keys.limitedLine(shard)),
    ];
    return (await TASK_SCRIPTS.heads.run(this.redis, keys, args)) as readonly string[];
  }
}
