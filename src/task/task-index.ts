import { Inject, Injectable } from '@nestjs/common';
import type { TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../redis/connections.js';
import { SHARDS, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';

/** Which of an owner's tasks to list. */
export interface TaskFilter {
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Only tasks whose status is this old or younger, in ms since the epoch. */
  readonly since?: number | undefined;
}

/** A task's place in its owner's list: `<ms of its status>:<id>`, which sorts by time and then by id. */
export type ListPlace = string;

export interface ListedTasks {
  /** Youngest first; at most as many as asked for. */
  readonly places: readonly ListPlace[];
  readonly total: number;
}

/** How many tasks of one skill are in one state. */
export interface TaskCount {
  readonly skill: string;
  readonly state: string;
  readonly tasks: number;
}

/** Finds tasks by owner, context, state and time. The cost does not grow with the number of tasks. */
@Injectable()
export class TaskIndex {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Up to `limit` tasks that stand behind `after`. Each shard gives its youngest; the merge of them is the page. */
  async list(owner: string, filter: TaskFilter, after: ListPlace | undefined, limit: number): Promise<ListedTasks> {
    const oldest = filter.since === undefined ? '-' : `[${padded(filter.since)}`;
    const newest = after === undefined ? '+' : `(${after}`;
    const shards = Array.from({ length: SHARDS }, async (_unused, shard) => {
      const key = this.keys.index(shard) + setOf(owner, filter);
      return Promise.all([
        this.redis.zrevrangebylex(key, newest, oldest, 'LIMIT', 0, limit),
        oldest === '-' ? this.redis.zcard(key) : this.redis.zlexcount(key, oldest, '+'),
      ]);
    });
    const found = await Promise.all(shards);
    return {
      places: found
        .flatMap(([places]) => places)
        .sort((a, b) => (a < b ? 1 : -1))
        .slice(0, limit),
      total: found.reduce((sum, [, count]) => sum + count, 0),
    };
  }

  /** How many tasks there are, by skill ('' for those that none took) and state. */
  async counts(): Promise<readonly TaskCount[]> {
    const shards = Array.from({ length: SHARDS }, (_unused, shard) => this.redis.hgetall(this.keys.counts(shard)));
    const sums = new Map<string, number>();
    for (const [name, number] of (await Promise.all(shards)).flatMap(Object.entries<string>)) {
      sums.set(name, (sums.get(name) ?? 0) + Number(number));
    }
    return [...sums].map(([name, tasks]) => {
      const [skill = '', state = ''] = name.split(' ');
      return { skill, state, tasks };
    });
  }
}

export function taskIdAt(place: ListPlace): string {
  return place.slice(place.indexOf(':') + 1);
}

/** The set that lib/index.lua keeps for such a filter. */
function setOf(owner: string, { contextId, state }: TaskFilter): string {
  if (contextId === undefined) return state === undefined ? `:${owner}` : `:${owner}:s:${state}`;
  return state === undefined ? `:${owner}:c:${contextId}` : `:${owner}:b:${state}:${contextId}`;
}

function padded(ms: number): string {
  return String(Math.max(0, Math.ceil(ms))).padStart(13, '0');
}
