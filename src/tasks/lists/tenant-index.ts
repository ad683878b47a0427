import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { stateWord } from '../record/state-word.js';
import { storedStatus } from '../record/task-json.js';
import { type TaskRest, traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { STATE_DIGITS } from '../record/tenant-score.js';
import { FIELD } from '../task-fields.js';
import { idsBeginningWith } from './id-search.js';
import { failureOf, type TaskFailure } from './task-failure.js';

/** A task in operators' lists: no messages and no results. */
export interface TenantTask extends TaskFailure {
  readonly id: string;
  readonly state: TaskState;
  /** '' without a skill. */
  readonly skill: string;
  /** Time of its state. */
  readonly updated: string;
  /** Creation time. */
  readonly created: string;
  readonly owner: string;
  readonly client: string;
  readonly contextId: string;
  /** Number of the latest event. */
  readonly events: number;
  /** Runs of this turn since its last progress, lost ones included. */
  readonly attempts: number;
  /** Of its messages, results and events. */
  readonly bytes: number;
}

/** Selects tasks of a tenant; absent members match any. */
export interface TenantFilter {
  readonly state?: TaskState | undefined;
  readonly skill?: string | undefined;
  readonly client?: string | undefined;
  readonly contextId?: string | undefined;
  /** Only tasks with a status of at most this age, in ms since 1970. */
  readonly since?: number | undefined;
}

export interface TenantTasks {
  /** The youngest status first. */
  readonly tasks: readonly TenantTask[];
  /** The number of tasks in each state since the time of the filter, of all skills and clients. */
  readonly states: Readonly<Partial<Record<TaskState, number>>>;
  /** Whether the list is incomplete. */
  readonly isCut: boolean;
  /** The cursor of the next page; absent at the end. */
  readonly next?: string;
}

/** Counts of the tasks that match a filter, whatever their state. */
export interface TenantCounts {
  readonly states: Readonly<Partial<Record<TaskState, number>>>;
  /** Whether there may be more: only the newest tasks were read. */
  readonly areStatesCut?: true;
}

interface RankedTask {
  readonly id: string;
  readonly ms: number;
}

interface FoundTask {
  readonly rank: RankedTask;
  readonly task: TenantTask;
}

const DIGIT = 1e14;
/** Tasks per read. */
const PAGE = 100;
/** Maximum tasks read for one list. */
const MAX_CHECKED = 1_000;

/** Lists the tasks of a whole tenant, for operators. The cost of a list does not grow with the number of tasks. */
@Injectable()
export class TenantIndex {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** @param after the cursor of a page; absent: begins with the youngest */
  async list(tenant: string, filter: TenantFilter, limit: number, after?: string): Promise<TenantTasks> {
    const states = await this.counts(tenant, filter.since);
    const { found, last, isAll } = await this.find(tenant, filter, limit, rankOf(after));
    const tasks = found.slice(0, limit).map(({ task }) => task);
    const place = found.length > limit ? found[limit - 1]?.rank : isAll ? undefined : last;
    const next = place === undefined ? {} : { next: `${String(place.ms)}:${place.id}` };
    return { tasks, states, isCut: !isAll && tasks.length < limit, ...next };
  }

  /** Counts the newest tasks of a skill, client or context by state; undefined for other filters. */
  async countsOf(tenant: string, { state: _any, ...filter }: TenantFilter): Promise<TenantCounts | undefined> {
    if ([filter.skill, filter.client, filter.contextId].every((one) => one === undefined)) return undefined;
    const { found, isAll } = await this.find(tenant, filter, MAX_CHECKED, undefined);
    const states: Partial<Record<TaskState, number>> = {};
    for (const { task } of found) states[task.state] = (states[task.state] ?? 0) + 1;
    return { states, ...(isAll ? {} : { areStatesCut: true as const }) };
  }

  /** Tasks whose ids begin with a text, in no order. @param prefix hexadecimal digits and hyphens */
  async beginningWith(
    tenant: string,
    prefix: string,
    limit: number,
  ): Promise<{ readonly tasks: readonly TenantTask[]; readonly isCut: boolean }> {
    const keys = ALL_SHARDS.map((shard) => this.keys.ofTenant(shard, tenant));
    const { ids, isCut } = await idsBeginningWith(this.redis, keys, prefix, limit);
    return { tasks: await this.rows(ids), isCut };
  }

  private async find(
    tenant: string,
    filter: TenantFilter,
    limit: number,
    from: RankedTask | undefined,
  ): Promise<{
    readonly found: readonly FoundTask[];
    readonly last?: RankedTask | undefined;
    readonly isAll: boolean;
  }> {
    const wanted = filter.state === undefined ? TASK_STATES : [filter.state];
    const found: FoundTask[] = [];
    let last = from;
    for (let lookedAt = 0; lookedAt < Math.max(MAX_CHECKED, limit) && found.length <= limit; lookedAt += PAGE) {
      const ranked = await this.ranked(tenant, wanted, last);
      const page = await Promise.all(ranked.map(async (rank) => ({ rank, task: await this.task(rank.id) })));
      found.push(
        ...page.flatMap(({ rank, task }) => (task !== undefined && isWanted(task, filter) ? { rank, task } : [])),
      );
      last = ranked.at(-1) ?? last;
      const isPast = filter.since !== undefined && last !== undefined && last.ms < filter.since;
      if (ranked.length < PAGE || isPast) return { found, last, isAll: true };
    }
    return { found, last, isAll: false };
  }

  /** Tasks by their ids, without deleted ones. */
  async rows(ids: readonly string[]): Promise<readonly TenantTask[]> {
    const tasks = await Promise.all(ids.map((id) => this.task(id)));
    return tasks.flatMap((task) => (task === undefined ? [] : [task]));
  }

  private async counts(tenant: string, since = 0): Promise<Partial<Record<TaskState, number>>> {
    const counted = TASK_STATES.map(async (state) => {
      const [first, most] = scoresOf(state);
      const least = first + since;
      const counts = ALL_SHARDS.map((shard) => this.redis.zcount(this.keys.ofTenant(shard, tenant), least, most));
      return [state, (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)] as const;
    });
    return Object.fromEntries((await Promise.all(counted)).filter(([, count]) => count > 0));
  }

  /** The next tasks of some states, after a given one. */
  private async ranked(
    tenant: string,
    states: readonly TaskState[],
    after?: RankedTask,
  ): Promise<readonly RankedTask[]> {
    const ranges = ALL_SHARDS.flatMap((shard) => states.map((state) => this.range({ tenant, shard, state }, after)));
    return (await Promise.all(ranges)).flat().sort(youngerFirst).slice(0, PAGE);
  }

  private async range(
    { tenant, shard, state }: { tenant: string; shard: number; state: TaskState },
    after: RankedTask | undefined,
  ): Promise<readonly RankedTask[]> {
    const [least, most] = scoresOf(state);
    const from = after === undefined ? most : least + after.ms;
    // Tasks of one millisecond are ordered by their ids, which a range by score cannot express.
    for (let asked = PAGE; ; asked *= 2) {
      const key = this.keys.ofTenant(shard, tenant);
      const flat = await this.redis.zrevrangebyscore(key, from, least, 'WITHSCORES', 'LIMIT', 0, asked);
      const found = rankedIn(flat, least);
      const behind = found.filter((task) => after === undefined || youngerFirst(task, after) > 0);
      if (found.length < asked || behind.length >= PAGE) return behind.slice(0, PAGE);
    }
  }

  private async task(id: string): Promise<TenantTask | undefined> {
    const fields = await this.redis.hmget(
      this.keys.task(id),
      FIELD.word,
      FIELD.owner,
      FIELD.context,
      FIELD.traits,
      FIELD.rest,
      FIELD.status,
      FIELD.messageBytes,
      FIELD.resultBytes,
    );
    const [word, owner, contextId, traits, rest, status, messages, results] = fields;
    if (typeof word !== 'string') return undefined;
    const { state, seq, attempt, fence } = stateWord(word);
    const { client, born } = JSON.parse(rest ?? '{"born":0}') as TaskRest;
    const { timestamp: updated, message } = storedStatus(state, status ?? '');
    return {
      ...{ id, state, skill: traitsOf(traits ?? '').skillId, updated },
      ...(await failureOf(this.redis, this.keys.task(id), { state, fence }, message)),
      ...{ created: new Date(born).toISOString(), events: seq, attempts: attempt },
      ...{ owner: owner ?? '', client, contextId: contextId ?? '' },
      bytes: Number(messages ?? 0) + Number(results ?? 0),
    };
  }
}

/** Whether a task matches a filter. */
export function isWanted(task: TenantTask, { state, skill, client, contextId, since }: TenantFilter): boolean {
  // A task may have changed since its rank was read.
  if (state !== undefined && task.state !== state) return false;
  if (since !== undefined && Date.parse(task.updated) < since) return false;
  return (
    (skill === undefined || task.skill === skill) &&
    (client === undefined || task.client === client) &&
    (contextId === undefined || task.contextId === contextId)
  );
}

/** Parses a cursor; undefined without a valid one. */
function rankOf(cursor: string | undefined): RankedTask | undefined {
  const [, ms, id = ''] = /^(\d{1,13}):([0-9a-f-]{36})$/.exec(cursor ?? '') ?? [];
  return ms === undefined ? undefined : { id, ms: Number(ms) };
}

function scoresOf(state: TaskState): readonly [least: number, most: number] {
  const least = STATE_DIGITS[state] * DIGIT;
  return [least, least + DIGIT - 1];
}

function rankedIn(flat: readonly string[], least: number): readonly RankedTask[] {
  return Array.from({ length: flat.length / 2 }, (_unused, at) => ({
    id: flat[2 * at] ?? '',
    ms: Number(flat[2 * at + 1]) - least,
  }));
}

function youngerFirst(one: RankedTask, other: RankedTask): number {
  if (one.ms !== other.ms) return other.ms - one.ms;
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
}
