import { Inject, Injectable } from '@nestjs/common';
import { Json } from '@parley/protocol/model/json.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { CommandRedis } from '../../platform/redis/connection/connections.js';
import { stateWord } from '../record/state-word.js';
import { shardOf, TaskKeys } from '../task.keys.js';
import { TaskOptions } from '../task.options.js';
import type { ScriptArgs } from '../../platform/redis/script/redis-script.js';
import { TASK_SCRIPTS } from '../task.scripts.js';
import { eventField, FIELD } from '../task-fields.js';

/** Bounds of a page. It ends before the event that would exceed the bytes; a larger event is a page of its own. */
const PAGE_EVENTS = 100;
export const PAGE_BYTES = 256 * 1024;
/** Tasks of one call. */
const MAX_LATEST = 1_000;
/**
 * TTL of a reader's registration; readers renew it well within this time. Events are published to registered readers
 * only.
 */
export const WATCH_MS = 60_000;

/** One event of a task, the same for every reader. */
export interface LoggedEvent {
  /** 1, 2, 3 … within its task, without a gap. */
  readonly seq: number;
  /** The nonce of its writer; with `seq` it identifies the event even after a failover that lost writes. */
  readonly nonce: string;
  readonly event: Json<StreamResponse>;
}

/** The number and the nonce of an event. */
export type EventName = Pick<LoggedEvent, 'seq' | 'nonce'>;

/** A part of a log. */
export interface LogPage {
  /** In order, from the requested number on; later if the earlier ones were trimmed. */
  readonly events: readonly LoggedEvent[];
  /** The task's latest event. */
  readonly latest: EventName;
  /** The nonce of the event before the requested one; '' if it does not exist (any more). */
  readonly nonceBefore: string;
}

type LogReply = readonly [number, string, string, readonly (number | string)[]] | null;

/** The stored events of tasks. Does not check owners: its callers do. */
@Injectable()
export class EventLog {
  private readonly keys: TaskKeys;

  constructor(
    @Inject(CommandRedis) private readonly redis: CommandRedis,
    @Inject(TaskOptions) options: TaskOptions,
  ) {
    this.keys = new TaskKeys(options.keyPrefix);
  }

  /** Events from `seq` on: up to `limit` of them, and fewer where they are large. Undefined when there is no task. */
  page(taskId: string, seq: number, limit = PAGE_EVENTS): Promise<LogPage | undefined> {
    return this.read(taskId, { first: seq, maxEvents: limit, maxBytes: PAGE_BYTES, step: 1 });
  }

  private async read(taskId: string, args: ScriptArgs<typeof TASK_SCRIPTS.log>): Promise<LogPage | undefined> {
    const reply = (await TASK_SCRIPTS.log.run(
      this.redis,
      { task: this.keys.task(taskId) },
      args,
    )) as unknown as LogReply;
    if (reply === null) return undefined;
    const [latest, nonce, nonceBefore, flat] = reply;
    const events: LoggedEvent[] = [];
    for (let at = 0; at < flat.length; at += 2) {
      const stored = String(flat[at + 1]);
      const event = stored === '' ? await this.large(taskId, Number(flat[at])) : loggedEvent(Number(flat[at]), stored);
      if (event !== undefined) events.push(event);
    }
    return { events, latest: { seq: latest, nonce }, nonceBefore };
  }

  /** An event that a script leaves out (lua/lib/record/event.lua), read by commands. Undefined when it is gone meanwhile. */
  private async large(taskId: string, seq: number): Promise<LoggedEvent | undefined> {
    const key = this.keys.task(taskId);
    const stored = await this.redis.hget(key, eventField(seq));
    if (!stored?.endsWith('[')) return stored === null ? undefined : loggedEvent(seq, stored);
    const [message, metadata] = await this.redis.hmget(key, FIELD.firstMessage, FIELD.metadata);
    if (typeof message !== 'string') return undefined;
    const end = typeof metadata === 'string' ? `],"metadata":${metadata}}}` : ']}}';
    return loggedEvent(seq, stored + message + end);
  }

  /** Events from `seq` on, all up to `limit`. Trimmed events are missing at the beginning. */
  async from(taskId: string, seq: number, limit: number): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for (let next = seq; events.length < limit;) {
      const page = await this.page(taskId, next, Math.min(PAGE_EVENTS, limit - events.length));
      const last = page?.events.at(-1);
      if (page === undefined || last === undefined) break;
      events.push(...page.events);
      next = last.seq + 1;
    }
    return events;
  }

  /** A page of events from `seq` backwards, the latest first. */
  async pageBack(taskId: string, seq: number): Promise<readonly LoggedEvent[]> {
    return (
      (await this.read(taskId, { first: seq, maxEvents: PAGE_EVENTS, maxBytes: PAGE_BYTES, step: -1 }))?.events ?? []
    );
  }

  /** Each task's latest event, undefined for a deleted task: one round trip for all, one script per shard. */
  async latest(taskIds: readonly string[]): Promise<ReadonlyMap<string, EventName>> {
    const shards = new Map<number, string[]>();
    for (const id of taskIds) {
      const shard = shardOf(id);
      const ids = shards.get(shard) ?? [];
      ids.push(id);
      shards.set(shard, ids);
    }
    const latest = new Map<string, EventName>();
    const asked = [...shards.values()].flatMap(inCalls).map(async (ids) => {
      const tasks = ids.map((id) => this.keys.task(id));
      const words = (await TASK_SCRIPTS.latest.run(this.redis, { tasks }, { watchMs: WATCH_MS })) as readonly string[];
      ids.forEach((id, at) => {
        const word = words[at] ?? '';
        if (word === '') return;
        const { seq, last } = stateWord(word);
        latest.set(id, { seq, nonce: last });
      });
    });
    await Promise.all(asked);
    return latest;
  }

  /** Ends the reply channel of a created task: its events are no longer sent to this process. */
  async leave(taskId: string): Promise<void> {
    await this.redis.hdel(this.keys.task(taskId), FIELD.reply);
  }
}

/** @param stored `<nonce> <event>` */
function loggedEvent(seq: number, stored: string): LoggedEvent {
  const space = stored.indexOf(' ');
  return { seq, nonce: stored.slice(0, space), event: Json.ofText(stored.slice(space + 1)) };
}

function inCalls(ids: readonly string[]): readonly (readonly string[])[] {
  const calls = Math.ceil(ids.length / MAX_LATEST);
  return Array.from({ length: calls }, (_unused, at) => ids.slice(at * MAX_LATEST, (at + 1) * MAX_LATEST));
}
