import { Inject, Injectable } from '@nestjs/common';
import type { TaskState } from '../protocol/task-state.js';
import { CommandRedis } from '../platform/redis/connections.js';
import { type ReadOptions, shownArguments } from './snapshot.js';
import { SHARDS, TaskKeys } from './task.keys.js';
import { TaskOptions } from './task.options.js';
import { TASK_SCRIPTS } from './task.scripts.js';

/** Which of an owner's tasks to list. */
export interface TaskFilter {
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Only tasks whose status is this old or younger, in ms since the epoch. */
  readonly since?: number | undefined;
}

/** A task's place in its owner's list: `<ms of its status>:<id>`, which sorts by time and then by id. */
export type ListPlace = string;

/** A task in its place. */
export interface ListedTask {
  readonly place: ListPlace;
  /** As much of it as was asked for, as A2A 1.0 JSON; '' where it is gone, or was not asked for. */
  readonly task: string;
}

export interface ListedTasks {
  /** Youngest first; at most as many as asked for. */
  readonly tasks: readonly ListedTask[];
  readonly total: number;
}

/** Which part of an owner's list. */
export interface ListPart {
  /** The place before it; absent: it begins with the youngest. */
  readonly after?: ListPlace | undefined;
  /** Most tasks. */
  readonly limit: number;
  /** How much of each task; absent: its place only. */
  readonly shown?: ReadOptions;
}

/** How many tasks of one skill are in one state. */
export interface TaskCount {
  readonly skill: string;
  readonly state: string;
  readonly tasks: number;
}

/** What the shards are asked. */
interface Question {
  readonly set: string;
  readonly newest: string;
  readonly oldest: string;
  readonly shown: readonly (string | number)[];
}

const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_unused, shard) => shard);
/** Tasks lie in shards by chance: of a page, hardly any shard has three times its share. */
const SHARE_FACTOR = 3;
const PLACES_ONLY = ['', 0] as const;

/** Finds tasks by owner, context, state and time. The cost does not grow with the number of tasks. */
@Injectable()
export class TaskIndex {
  private readonly keys: TaskKeys;
  /** Whether the server keeps the shards apart, so that no script may ask several: a Cluster says so when it is asked. */
  private isApart = false;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** One script on one server; on a Cluster, where a script has one slot, one for each shard, and their answers are merged. */
  async list(owner: string, filter: TaskFilter, { after, limit, shown }: ListPart): Promise<ListedTasks> {
    const question: Question = {
      set: setOf(owner, filter),
      newest: after === undefined ? '+' : `(${after}`,
      oldest: filter.since === undefined ? '-' : `[${padded(filter.since)}`,
      shown: shown === undefined ? PLACES_ONLY : shownArguments(shown),
    };
    if (this.isApart) return this.merged(question, limit);
    try {
      return await this.ask(SHARD_NUMBERS, question, limit);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('CROSSSLOT'))) throw error;
      this.isApart = true;
      return this.merged(question, limit);
    }
  }

  /** Each shard gives its share, and the youngest of all are the page. */
  private async merged(question: Question, limit: number): Promise<ListedTasks> {
    const share = Math.min(limit, Math.ceil(limit / SHARDS) * SHARE_FACTOR);
    const asked = await Promise.all(SHARD_NUMBERS.map((shard) => this.ask([shard], question, share)));
    const last = youngest(asked, limit).at(-1)?.place ?? '';
    // A shard that gave its whole share, all of it for the page, may have more for it: then it is asked for a whole page.
    const mayHaveMore = ({ tasks }: ListedTasks): boolean =>
      tasks.length === share && share < limit && (tasks.at(-1)?.place ?? '') >= last;
    const whole = await Promise.all(
      asked.map(async (some, shard) => (mayHaveMore(some) ? this.ask([shard], question, limit) : some)),
    );
    return { tasks: youngest(whole, limit), total: asked.reduce((sum, { total }) => sum + total, 0) };
  }

  private async ask(shards: readonly number[], question: Question, most: number): Promise<ListedTasks> {
    const { set, newest, oldest, shown } = question;
    const keys = shards.map((shard) => this.keys.index(shard) + set);
    const reply = await TASK_SCRIPTS.list.run(this.redis, keys, [newest, oldest, most, ...shown]);
    const [total, lines] = reply as [number, string];
    return { tasks: lines === '' ? [] : lines.split('\n').map(listedTask), total };
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

function youngest(shards: readonly ListedTasks[], limit: number): readonly ListedTask[] {
  const all = shards.flatMap(({ tasks }) => tasks);
  return all.sort((a, b) => (a.place < b.place ? 1 : -1)).slice(0, limit);
}

/** A line of list.lua. */
function listedTask(line: string): ListedTask {
  const end = line.indexOf(' ');
  return end === -1 ? { place: line, task: '' } : { place: line.slice(0, end), task: line.slice(end + 1) };
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
