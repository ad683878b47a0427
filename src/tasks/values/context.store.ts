import { Inject, Injectable } from '@nestjs/common';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { literally, scanKeys } from '../../platform/redis/scan-keys.js';
import { ALL_SHARDS, nameOfContext, shardOfContext, TaskKeys } from '../task.keys.js';
import { NET_MS, TaskOptions } from '../task.options.js';
import { redisNow } from '../../platform/redis/redis-clock.js';
import { FIELD } from '../task-fields.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import type { Accounts } from '../record/task-record.js';

/** The context has reached its maximum of values or bytes: nothing was written. */
export class ContextFull extends Error {
  override readonly name = 'ContextFull';
}

/** The name for values of an owner without a context. A caller that names a context so gets its own values. */
export const OF_USER = '\n';

/** Values that are shared by one owner's tasks of one context. */
export interface ContextValues {
  get(name: string): Promise<unknown>;
  /** @throws ContextFull */
  set(name: string, value: unknown): Promise<void>;
  /** Stores the value unless there is one. Returns the stored value. @throws ContextFull */
  setIfAbsent(name: string, value: unknown): Promise<unknown>;
}

/** The owner of values stored by simulated tasks, kept apart from real ones. No owner begins with a slash. */
export function simulatedOwner(owner: string): string {
  return `/simulated/${owner}`;
}

/** A context, and the accounts charged for its bytes (`accountsOf`). */
export interface RememberedContext {
  readonly owner: string;
  readonly contextId: string;
  readonly accounts: Accounts;
}

/**
 * The values that skills store per context. The last write wins: tasks of one context run concurrently. Expires when
 * nothing was written for the retention of an unanswered task.
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

  of({ owner, contextId, accounts }: RememberedContext): ContextValues {
    const name = nameOfContext(owner, contextId);
    const write = (field: string, value: unknown, isFirst: boolean): Promise<unknown> =>
      this.remember(name, accounts, { field, json: JSON.stringify(value ?? null), isFirst });
    return {
      get: async (field) => {
        const text = await this.redis.hget(this.keys.context(name), fieldOf(field));
        return text === null ? undefined : (JSON.parse(text) as unknown);
      },
      set: async (field, value) => {
        await write(field, value, false);
      },
      setIfAbsent: (field, value) => write(field, value, true),
    };
  }

  /** Deletes the state of one context of an owner, or of all; returns their number. For operators: scans every key. */
  async forget(owner: string, contextId: string | undefined): Promise<number> {
    if (contextId !== undefined) return this.drop(nameOfContext(owner, contextId), '1');
    const first = this.keys.contextPrefix(0);
    const pattern = literally(first).replace('{s00}', '{s??}') + literally(nameOfContext(owner, ''));
    let forgotten = 0;
    for await (const key of scanKeys(this.redis, `${pattern}*`)) {
      forgotten += await this.drop(key.slice(first.length), '1');
    }
    return forgotten;
  }

  /** Deletes expired contexts, at most `limit` per shard; returns their number. */
  async forgetDue(limit: number): Promise<number> {
    const now = await redisNow(this.redis);
    const shards = ALL_SHARDS.map(async (shard) => {
      const names = await this.redis.zrangebyscore(this.keys.contexts(shard), '-inf', now, 'LIMIT', 0, limit);
      return Promise.all(names.map((name) => this.drop(name, '')));
    });
    return (await Promise.all(shards)).flat().reduce((sum, gone) => sum + gone, 0);
  }

  private async remember(
    name: string,
    accounts: Accounts,
    { field, json, isFirst }: { readonly field: string; readonly json: string; readonly isFirst: boolean },
  ): Promise<unknown> {
    const { interruptedTtlMs, mostContextBytes, mostContextValues } = this.options;
    const reply = await TASK_SCRIPTS.remember.run(this.redis, this.keysOf(name), {
      ...{ context: name, keepMs: interruptedTtlMs, ttl: Math.max(0, interruptedTtlMs) + NET_MS },
      ...{ maxBytes: mostContextBytes, maxValues: mostContextValues, ...accounts },
      ...{ name: field, value: json, keepsValue: isFirst ? '1' : '' },
    });
    const [verdict, stored = 'null'] = reply as readonly ['OK' | 'FULL', string?];
    if (verdict === 'FULL') throw new ContextFull();
    return JSON.parse(stored) as unknown;
  }

  private async drop(name: string, anyTime: '1' | ''): Promise<number> {
    return (await TASK_SCRIPTS.forget.run(this.redis, this.keysOf(name), {
      context: name,
      isForced: anyTime,
    })) as number;
  }

  private keysOf(name: string) {
    const shard = shardOfContext(name);
    return { context: this.keys.context(name), contexts: this.keys.contexts(shard), bytes: this.keys.bytes(shard) };
  }
}

/** The field of a value in the hash of its context (lua/values/remember.lua). */
function fieldOf(name: string): string {
  return FIELD.remembered + name;
}
