import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../platform/redis/connections.js';
import { literally, scanKeys } from '../platform/redis/scan-keys.js';
import { TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';

/** Values that are shared by one owner's tasks of one context. */
export interface ContextValues {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
  /** Stores the value unless there is one. Gives what is stored then. */
  setIfAbsent(name: string, value: unknown): Promise<unknown>;
}

/**
 * What skills remember of a context. The last write wins: tasks of one context run side by side. Forgotten when nothing
 * was written for as long as an unanswered task is kept.
 */
@Injectable()
export class ContextStore {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(TaskOptions) private readonly options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  of(owner: string, contextId: string): ContextValues {
    const key = this.keys.context(owner, contextId);
    const get = async (name: string): Promise<unknown> => {
      const text = await this.redis.hget(key, name);
      return text === null ? undefined : (JSON.parse(text) as unknown);
    };
    return {
      get,
      set: async (name, value) => {
        const write = this.redis.multi().hset(key, name, JSON.stringify(value ?? null));
        await write.pexpire(key, this.options.interruptedTtlMs).exec();
      },
      setIfAbsent: async (name, value) => {
        const write = this.redis.multi().hsetnx(key, name, JSON.stringify(value ?? null));
        await write.pexpire(key, this.options.interruptedTtlMs).exec();
        return get(name);
      },
    };
  }

  /** Deletes the state of one context of an owner, or of all; returns their number. For operators: scans every key. */
  async forget(owner: string, contextId: string | undefined): Promise<number> {
    if (contextId !== undefined) return this.redis.del(this.keys.context(owner, contextId));
    let forgotten = 0;
    for await (const key of scanKeys(this.redis, `${literally(this.keys.context(owner, ''))}*`)) {
      forgotten += await this.redis.del(key);
    }
    return forgotten;
  }
}
