import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import type { PublishedEvent } from './published-event.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';

/** An event to be passed to its subscribers. */
export interface WaitingEvent {
  readonly published: PublishedEvent;
  /** Marks it as passed to all of them. */
  readonly done: () => Promise<void>;
}

/** Published events: the scripts that commit them add to it, and an entry stays until all subscribers have it. */
@Injectable()
export class PublishedEvents {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) { keyPrefix }: TaskOptions,
  ) {
    this.keys = new TaskKeys(keyPrefix);
  }

  /** The oldest entries of each shard, in order. */
  async due(limit: number): Promise<readonly (readonly WaitingEvent[])[]> {
    const shards = ALL_SHARDS.map((shard) => this.ofShard(shard, limit));
    return (await Promise.all(shards)).filter((some) => some.length > 0);
  }

  /** The oldest entries of a shard, in order. */
  async ofShard(shard: number, limit: number): Promise<readonly WaitingEvent[]> {
    const key = this.keys.published(shard);
    const texts = await this.redis.lrange(key, 0, limit - 1);
    return texts.map((text) => ({
      published: JSON.parse(text) as PublishedEvent,
      done: async () => {
        await this.redis.lrem(key, 1, text);
      },
    }));
  }

  /** Number of waiting entries. */
  async waiting(): Promise<number> {
    const lengths = await Promise.all(ALL_SHARDS.map((shard) => this.redis.llen(this.keys.published(shard))));
    return lengths.reduce((sum, length) => sum + length, 0);
  }
}
