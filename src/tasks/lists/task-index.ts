import { Inject, Injectable } from '@nestjs/common';
import { isTerminal, TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { isCrossSlot } from '../../platform/redis/connection/cross-slot.js';
import { padded } from '../../platform/redis/redis-clock.js';
import type { ReadOptions } from '../record/snapshot.js';
import { stateWord } from '../record/state-word.js';
import { hasOwnList, listedBeside, listOfState, taskIdAt, taskOfContext } from '../record/task-lists.js';
import { ownedFields } from '../record/owned-fields.js';
import { type ListedRecords, RecordReader } from './record-reader.js';
import { type TaskTraits, traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { FIELD } from '../task-fields.js';

/** Selects an owner's tasks. */
export interface TaskFilter {
  readonly contextId?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Only tasks with a status of at most this age, in ms since the epoch. */
  readonly since?: number | undefined;
}

/** A task's index entry in its owner's list: `<ms of its status>:<id>`, sorted by time, then by id. */
export type ListEntry = string;

/** A task with its index entry. */
export interface ListedTask {
  readonly entry: ListEntry;
  /** The requested part of it, as A2A 1.0 JSON; '' if it is deleted, or not requested. */
  readonly task: string;
}

export interface ListedTasks {
  /** Youngest first; up to the requested number, and fewer if they are large. */
  readonly tasks: readonly ListedTask[];
  readonly total: number;
  /** The cursor of the next page; absent at the end. */
  readonly next?: ListEntry;
}

/** The requested part of an owner's list. */
export interface ListPart {
  /** The cursor; absent: begins with the youngest. */
  readonly after?: ListEntry | undefined;
  /** Maximum number of tasks. */
  readonly limit: number;
  /** The parts of each task to read; absent: its index entry only. */
  readonly shown?: ReadOptions;
  /** Size limit of a page in bytes; absent: no limit. */
  readonly mostBytes?: number;
}

/** Number of tasks of one skill in one state. */
export interface TaskCount {
  readonly skill: string;
  readonly state: string;
  readonly tasks: number;
}

interface FoundEntries {
  readonly entries: readonly ListEntry[];
  readonly total: number;
}

/** The query to the shards. */
interface Question {
  /** The sets of a shard. */
  readonly setsOf: (shard: number) => readonly string[];
  readonly newest: string;
  readonly oldest: string;
}

/** Tasks are distributed over shards at random: hardly any shard has three times its share of a page. */
const SHARE_FACTOR = 3;
/** Tasks read at a time when searching a state without a list of its own. */
const SCAN = 500;
/** Maximum tasks read for one page; then it ends early. */
const MAX_SCANNED = 10_000;

/** Finds tasks by owner, context, state and time. The cost of a page does not grow with the number of tasks. */
@Injectable()
export class TaskIndex {
  private readonly keys: TaskKeys;
  private readonly records: RecordReader;
  /** Whether scripts cannot read several shards, as in a Cluster; learnt from the server's reply. */
  private isApart = false;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
    this.records = new RecordReader(redis, this.keys);
  }

  async list(owner: string, filter: TaskFilter, part: ListPart): Promise<ListedTasks> {
    const { after, limit } = part;
    const question: Question = {
      setsOf: this.setsOf(owner, filter),
      newest: after === undefined ? '+' : `(${after}`,
      oldest: filter.since === undefined ? '-' : `[${padded(filter.since)}`,
    };
    const alone = await this.taskOfContext(owner, filter);
    const isAlone = (entry: string): boolean => alone === entry && (after === undefined || entry < after);
    // One more than the page, to know whether another page follows.
    const found: FoundEntries & { readonly cutAt?: ListEntry } = isListed(filter)
      ? await this.ask(question, limit + 1)
      : await this.search(question, filter.state, limit + 1);
    const entries =
      alone !== undefined && isAlone(alone) ? youngest([found.entries, [alone]], limit + 1) : found.entries;
    const total = (await this.total(owner, filter, question, found)) + (alone === undefined ? 0 : 1);
    return this.page(owner, part, { entries, total, cutAt: found.cutAt });
  }

  /** The constant members of a task of this owner; undefined where there is none. */
  async traits(owner: string, id: string): Promise<TaskTraits | undefined> {
    const found = await ownedFields(this.redis, this.keys, { owner, id, fields: [FIELD.traits] });
    return found === undefined ? undefined : traitsOf(found[0] ?? '');
  }

  private async page(
    owner: string,
    { limit, shown, mostBytes = Number.MAX_SAFE_INTEGER }: ListPart,
    { entries, total, cutAt }: FoundEntries & { readonly cutAt?: ListEntry | undefined },
  ): Promise<ListedTasks> {
    const onPage = entries.slice(0, limit);
    const all: ListedRecords = new Map(onPage.map((entry) => [entry, '']));
    const texts =
      shown === undefined ? all : await this.records.read(onPage, { owner, shown, mostBytes, isApart: this.isApart });
    const tasks = onPage.flatMap((entry) => {
      const task = texts.get(entry);
      return task === undefined ? [] : { entry, task };
    });
    const isCut = tasks.length < onPage.length || entries.length > limit;
    const next = isCut ? tasks.at(-1)?.entry : cutAt;
    return { tasks, total, ...(next === undefined ? {} : { next }) };
  }

  /** The sets that contain the tasks of such a filter. */
  private setsOf(owner: string, { contextId, state }: TaskFilter): Question['setsOf'] {
    if (state !== undefined && hasOwnList(state)) return this.setsOfStates(owner, contextId, [state]);
    const end = contextId === undefined ? '' : `:c:${contextId}`;
    const open = (shard: number): string => this.keys.openIn(shard, owner) + end;
    const ended = (shard: number): string => this.keys.endedIn(shard, owner) + end;
    if (state === undefined) return (shard) => [open(shard), ended(shard)];
    return (shard) => [isTerminal(state) ? ended(shard) : open(shard)];
  }

  private setsOfStates(owner: string, contextId: string | undefined, states: readonly TaskState[]): Question['setsOf'] {
    return (shard) =>
      states.map((state) => {
        const all = isTerminal(state) ? this.keys.endedIn(shard, owner) : this.keys.openIn(shard, owner);
        return listOfState(all, state, contextId);
      });
  }

  /**
   * The entry of the one task that lists find by its context without a set: the context that the service generated for
   * it. A later task that names the same context is in a set.
   */
  private async taskOfContext(owner: string, { contextId, state, since }: TaskFilter): Promise<ListEntry | undefined> {
    const id = contextId === undefined ? undefined : taskOfContext(contextId);
    if (id === undefined) return undefined;
    const fields = [FIELD.word, FIELD.context, FIELD.traits, FIELD.status];
    const [word, context, traits, status] = (await ownedFields(this.redis, this.keys, { owner, id, fields })) ?? [];
    if (typeof word !== 'string' || context !== contextId) return undefined;
    if (traitsOf(traits ?? '').isNamed || (state !== undefined && stateWord(word).state !== state)) return undefined;
    const ms = (status ?? '').slice(0, 13);
    return since !== undefined && ms < padded(since) ? undefined : `${ms}:${id}`;
  }

  /** Searches states without a list of their own: reads tasks one after the other. */
  private async search(
    question: Question,
    state: TaskState | undefined,
    limit: number,
  ): Promise<FoundEntries & { readonly cutAt?: ListEntry }> {
    const found: ListEntry[] = [];
    let { newest } = question;
    for (let scanned = 0; scanned < MAX_SCANNED; scanned += SCAN) {
      const { entries, total } = await this.ask({ ...question, newest }, SCAN);
      const states = await this.statesOf(entries);
      found.push(...entries.filter((_entry, at) => states[at] === state));
      const last = entries.at(-1);
      if (found.length >= limit || entries.length < SCAN || last === undefined)
        return { entries: found.slice(0, limit), total };
      newest = `(${last}`;
    }
    return { entries: found, total: 0, cutAt: newest.slice(1) };
  }

  private async statesOf(entries: readonly ListEntry[]): Promise<readonly (TaskState | undefined)[]> {
    const words = await Promise.all(
      entries.map((entry) => this.redis.hget(this.keys.task(taskIdAt(entry)), FIELD.word)),
    );
    return words.map((word) => (word === null ? undefined : stateWord(word).state));
  }

  /** The total of states without a list of their own: all open or all ended ones, minus those with a list. */
  private async total(owner: string, filter: TaskFilter, question: Question, found: FoundEntries): Promise<number> {
    if (filter.state === undefined || hasOwnList(filter.state)) return found.total;
    const others = this.setsOfStates(owner, filter.contextId, listedBeside(filter.state));
    const [all, rest] = await Promise.all([
      this.ask({ ...question, newest: '+' }, 0),
      this.ask({ ...question, setsOf: others }, 0),
    ]);
    return all.total - rest.total;
  }

  /** One script on a single server; on a Cluster, where a script has one slot, one per shard, with merged replies. */
  private async ask(question: Question, limit: number): Promise<FoundEntries> {
    if (this.isApart) return this.merged(question, limit);
    try {
      return await this.askShards(ALL_SHARDS, question, limit);
    } catch (error) {
      if (!isCrossSlot(error)) throw error;
      this.isApart = true;
      return this.merged(question, limit);
    }
  }

  /** Each shard returns its share, and the youngest of all are the page. */
  private async merged(question: Question, limit: number): Promise<FoundEntries> {
    const share = Math.min(limit, Math.ceil(limit / SHARDS) * SHARE_FACTOR);
    const asked = await Promise.all(ALL_SHARDS.map((shard) => this.askShards([shard], question, share)));
    const last =
      youngest(
        asked.map(({ entries }) => entries),
        limit,
      ).at(-1) ?? '';
    // A shard that returned its whole share may have more for the page: then a whole page is read from it.
    const mayHaveMore = ({ entries }: FoundEntries): boolean =>
      entries.length === share && share < limit && (entries.at(-1) ?? '') >= last;
    const whole = await Promise.all(
      asked.map(async (some, shard) => (mayHaveMore(some) ? this.askShards([shard], question, limit) : some)),
    );
    const total = asked.reduce((sum, one) => sum + one.total, 0);
    return {
      entries: youngest(
        whole.map(({ entries }) => entries),
        limit,
      ),
      total,
    };
  }

  private async askShards(shards: readonly number[], question: Question, most: number): Promise<FoundEntries> {
    const sets = shards.flatMap((shard) => question.setsOf(shard));
    const args = { newest: question.newest, oldest: question.oldest, maxEntries: most };
    const reply = await TASK_SCRIPTS.listEntries.run(this.redis, { sets }, args);
    const [total, ...entries] = reply as readonly [number, ...string[]];
    return { entries, total };
  }

  /** Number of tasks, by skill ('' for tasks without one) and state. */
  async counts(): Promise<readonly TaskCount[]> {
    const shards = ALL_SHARDS.map((shard) => this.redis.hgetall(this.keys.counts(shard)));
    const sums = new Map<string, number>();
    for (const [name, number] of (await Promise.all(shards)).flatMap(Object.entries<string>)) {
      sums.set(name, (sums.get(name) ?? 0) + Number(number));
    }
    const counts: TaskCount[] = [];
    for (const [name, begun] of sums) {
      const [skill = '', what = ''] = name.split(' ');
      if (what !== 'begun') continue;
      // Those in their first state are the difference to all begun.
      let left = begun;
      for (const state of TASK_STATES) {
        const tasks = sums.get(`${skill} ${state}`) ?? 0;
        left -= tasks;
        if (tasks > 0) counts.push({ skill: skill === '-' ? '' : skill, state, tasks });
      }
      if (left > 0) counts.push({ skill: skill === '-' ? '' : skill, state: 'TASK_STATE_SUBMITTED', tasks: left });
    }
    return counts;
  }
}

/** Whether there are sets with exactly the tasks of a filter. */
function isListed({ state }: TaskFilter): boolean {
  return state === undefined || hasOwnList(state);
}

function youngest(shards: readonly (readonly ListEntry[])[], limit: number): readonly ListEntry[] {
  return shards
    .flat()
    .sort((a, b) => (a < b ? 1 : -1))
    .slice(0, limit);
}
