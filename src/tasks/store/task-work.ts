import { Inject, Injectable } from '@nestjs/common';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { type JournalEntry, stepField, stepOf } from '../record/journal-entries.js';
import { type LoggedRun, loggedRuns, runFields } from '../commit/run-log.js';
import { SharedValues } from '../values/shared-values.js';
import { sharedEntry } from '../values/shared-write.js';
import { PARKED, stateWord } from '../record/state-word.js';
import { memberOf, traitsOf } from '../record/task-record.js';
import { ALL_SHARDS, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import { FIELD } from '../task-fields.js';

/** The work on one task, for operators. */
export interface TaskWork {
  /** The latest runs, in their order. */
  readonly runs: readonly LoggedRun[];
  /** The latest steps with a stored result, in their order. */
  readonly steps: readonly LoggedStep[];
  /** Runs of all shards ahead of it in the fair queues; absent when its run does not wait there. */
  readonly ahead?: number;
  /** Stored bytes: messages of callers, and results and events. */
  readonly bytes: { readonly messages: number; readonly results: number };
  /** The id of its caller's trace, if there is one. */
  readonly traceId?: string;
}

/** A step of a skill whose result is stored. */
export interface LoggedStep {
  readonly turn: number;
  readonly name: string;
  /** Bytes of its stored result. */
  readonly bytes: number;
  /** Its start, ISO 8601, and its duration; absent for a large result. */
  readonly begun?: string;
  readonly ms?: number;
  /** The task that ran it, if its result was taken over. */
  readonly of?: string;
}

/** The result of a step. */
export interface StepContent {
  readonly bytes: number;
  /** Stored JSON; absent without one, or when it exceeds the limit of a page. */
  readonly text?: string;
}

/** Maximum bytes of a result in a page. */
const MAX_SHOWN = 262_144;
/** Steps in a page. */
const MAX_STEPS = 50;
/** Larger results are not read for their times. */
const READ_BYTES = 65_536;

/** Reads the work done for a task and the runs ahead of it: of any owner, for operators only. */
@Injectable()
export class TaskWorkReader {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** For an existing task. */
  async of(id: string): Promise<TaskWork> {
    const key = this.keys.task(id);
    const [text, traits, messages, results, trace] = await this.redis.hmget(
      key,
      FIELD.word,
      FIELD.traits,
      FIELD.messageBytes,
      FIELD.resultBytes,
      FIELD.traceparent,
    );
    const word = stateWord(text ?? '');
    const runs = loggedRuns(await this.redis.hmget(key, ...runFields(word)));
    const [ahead, steps] = await Promise.all([this.ahead(id, traits ?? ''), this.steps(id)]);
    const traceId = trace?.split('-')[1];
    return {
      // A task that waits for its first run may have the entry of one that could not begin at once.
      runs: word.nonce === '' || word.nonce === PARKED ? runs.filter(({ ended }) => ended !== undefined) : runs,
      steps,
      ...(ahead === undefined ? {} : { ahead }),
      bytes: { messages: Number(messages ?? 0), results: Number(results ?? 0) },
      ...(traceId === undefined ? {} : { traceId }),
    };
  }

  /** The journal of a task: fields and values (journal-entries.ts), bounded in bytes. */
  async journal(id: string): Promise<readonly JournalEntry[]> {
    return Object.entries(await this.redis.hgetall(this.keys.journal(id)));
  }

  /**
   * The values that a task shares with its tree, as entries of a journal: `$0.0` for the inherited ones, and
   * `$<turn>.<call>` for each of its writes.
   */
  async shared(id: string): Promise<readonly JournalEntry[]> {
    const values = new SharedValues(this.redis, this.keys);
    const traits = await this.redis.hget(this.keys.task(id), FIELD.traits);
    const began = await values.inherited(traitsOf(traits ?? '').tree);
    const first = began.size === 0 ? [] : [{ turn: 0, call: 0, seq: 0, texts: began }];
    const entries = [...first, ...(await values.writtenBy(id))].map(sharedEntry);
    return entries.map(([field, text]) => [`$${field}`, text]);
  }

  private async steps(id: string): Promise<readonly LoggedStep[]> {
    // A journal has a bounded number of entries; fields are in insertion order, or in none.
    const fields = await this.redis.hkeys(this.keys.journal(id));
    const latest = fields.filter((field) => stepOf(field) !== undefined).slice(-MAX_STEPS);
    const steps = await Promise.all(latest.map((field) => this.logged(id, field)));
    return steps.sort((one, other) => ((one.begun ?? '') < (other.begun ?? '') ? -1 : 1));
  }

  /** The stored result of a step. */
  async step(id: string, turn: number, name: string): Promise<StepContent> {
    const [key, field] = [this.keys.journal(id), stepField(turn, name)];
    const bytes = await this.redis.hstrlen(key, field);
    const text = bytes > MAX_SHOWN ? null : await this.redis.hget(key, field);
    return { bytes, ...(text === null ? {} : { text }) };
  }

  private async logged(id: string, field: string): Promise<LoggedStep> {
    const key = this.keys.journal(id);
    const bytes = await this.redis.hstrlen(key, field);
    const text = bytes > READ_BYTES ? null : await this.redis.hget(key, field);
    const { at, ms, of } = JSON.parse(text ?? '{}') as {
      readonly at?: number;
      readonly ms?: number;
      readonly of?: string;
    };
    return {
      ...{ turn: 0, name: field, ...stepOf(field), bytes },
      ...(of === undefined ? {} : { of }),
      ...(at === undefined || ms === undefined ? {} : { begun: new Date(at).toISOString(), ms }),
    };
  }

  private async ahead(id: string, text: string): Promise<number | undefined> {
    const traits = traitsOf(text);
    const { queue, limitedQueue } = this.keys.queuesOf(id);
    const position = await this.redis.zscore(traits.isLimited ? limitedQueue : queue, memberOf(id, traits));
    if (position === null) return undefined;
    const queues = ALL_SHARDS.flatMap((shard) => [this.keys.fairQueue(shard), this.keys.limitedQueue(shard)]);
    const counts = await Promise.all(queues.map((queue) => this.redis.zcount(queue, '-inf', `(${position}`)));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
