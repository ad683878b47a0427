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

/** Which part of which sets is looked at. */
interface Range {
  readonly set: string;
  readonly oldest: string;
  readonly newest: string;
}

interface ShardPlaces {
  readonly places: readonly ListPlace[];
  readonly count: number;
}

interface Cut {
  readonly range: Range;
  /** The youngest of what all shards gave. */
  readonly page: readonly ListPlace[];
  readonly share: number;
  readonly limit: number;
}

const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_unused, shard) => shard);
/** Tasks lie in shards by chance: of a page, hardly any shard has three times its share. */
const SHARE_FACTOR = 3;

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
    const range = {
      set: setOf(owner, filter),
      oldest: filter.since === undefined ? '-' : `[${padded(filter.since)}`,
      newest: after === undefined ? '+' : `(${after}`,
    };
    const share = Math.min(limit, Math.ceil(limit / SHARDS) * SHARE_FACTOR);
    const asked = await Promise.all(SHARD_NUMBERS.map((shard) => this.ofShard(shard, range, share)));
    const page = youngest(asked.map(({ places }) => places).flat(), limit);
    const whole = await Promise.all(
      asked.map(({ places }, shard) => this.whole(shard, places, { range, page, share, limit })),
    );
    return {
      places: youngest(whole.flat(), limit),
      total: asked.reduce((sum, { count }) => sum + count, 0),
    };
  }

  private async ofShard(shard: number, { set, oldest, newest }: Range, limit: number): Promise<ShardPlaces> {
    const key = this.keys.index(shard) + set;
    const [places, count] = await Promise.all([
      this.redis.zrevrangebylex(key, newest, oldest, 'LIMIT', 0, limit),
      oldest === '-' ? this.redis.zcard(key) : this.redis.zlexcount(key, oldest, '+'),
    ]);
    return { places, count };
  }

  /** A shard that gave its whole share, all of it for the page, may have more for it: then it is asked for a whole page. */
  private async whole(
    shard: number,
    places: readonly ListPlace[],
    { range, page, share, limit }: Cut,
  ): Promise<readonly ListPlace[]> {
    const last = places.at(-1);
    const isExhausted = places.length < share || share === limit;
    if (last === undefined || isExhausted || last < (page.at(-1) ?? '')) return places;
    return (await this.ofShard(shard, range, limit)).places;
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

function youngest(places: readonly ListPlace[], limit: number): readonly ListPlace[] {
  return places.toSorted((a, b) => (a < b ? 1 : -1)).slice(0, limit);
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
