import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../platform/redis/connections.js';
import { ALL_SHARDS, isTaskId, shardOf, TaskKeys } from './task.keys.js';
import { traitsOf } from './task-record.js';
import { TaskOptions } from './task.options.js';
import { TaskStore } from './task.store.js';

/** Children that are canceled at a time. */
const CANCELED_EACH = 64;

/**
 * Cancels what ended or canceled tasks have left open below them. A task is marked before its children are read, and a marked
 * task makes no more: none is missed. What a process leaves undone, the next pass of a sweep does.
 */
@Injectable()
export class TreeCanceler {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
    private readonly tasks: TaskStore,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Tasks whose children are to be canceled, at most `limit` of each shard. */
  async due(limit: number): Promise<readonly string[]> {
    const shards = ALL_SHARDS.map((shard) => this.redis.zrange(this.keys.cascade(shard), '0', String(limit - 1)));
    return (await Promise.all(shards)).flat();
  }

  /** Cancels all open tasks below a task; running ones are asked to stop. */
  async cancelBelow(id: string): Promise<void> {
    const children = await this.redis.hgetall(this.keys.children(id));
    const open = Object.entries(children).flatMap(([name, text]) => (isTaskId(name) && isOpen(text) ? [name] : []));
    for (let at = 0; at < open.length; at += CANCELED_EACH) {
      await Promise.all(open.slice(at, at + CANCELED_EACH).map((child) => this.cancel(child)));
    }
    await this.forgetQuestions(id);
    await this.redis.zrem(this.keys.cascade(shardOf(id)), id);
  }

  /** The root of its tree shows the questions of an ended task no longer. */
  private async forgetQuestions(id: string): Promise<void> {
    const [traits, questions] = await this.redis.hmget(this.keys.task(id), 'i', 'qs');
    if (typeof traits !== 'string' || typeof questions !== 'string') return;
    const root = traitsOf(traits).tree?.root ?? id;
    await this.redis.zadd(this.keys.asking(shardOf(root)), 0, root);
  }

  private async cancel(id: string): Promise<void> {
    const [owner, hasChildren] = await this.redis.hmget(this.keys.task(id), 'o', 'ch');
    if (typeof owner !== 'string') return;
    await this.tasks.cancel(owner, id);
    if (typeof hasChildren === 'string') await this.cancelBelow(id);
  }
}

/** `<group> <state of its end, or ->` (lua/lib/group.lua). */
function isOpen(text: string): boolean {
  return text.endsWith(' -');
}
