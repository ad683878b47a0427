import { Inject, Injectable } from '@nestjs/common';
import { Json } from '../protocol/json.js';
import { RunRedis } from '../platform/redis/connections.js';
import type { ScriptReply } from '../platform/redis/redis-script.js';
import type { LoggedEvent } from '../task/event-log.js';
import type { TraceCarrier } from '../platform/tracing/trace-carrier.js';
import { SHARDS } from '../task/task.keys.js';
import { Clock } from './clock.js';
import type { DeadLetter } from './dead-letter.js';
import { PushKeys } from './push.keys.js';
import { PushOptions } from './push.options.js';
import { parseRecord, type PushRecord } from './push-record.js';
import { PUSH_SCRIPTS } from './push.scripts.js';

/** A webhook of a task. */
export interface HookRef {
  readonly taskId: string;
  readonly configId: string;
}

/** The right to deliver to a webhook: held by one caller until it lets go or its time is over. */
export interface CursorHold extends HookRef {
  readonly token: string;
}

/** What there is to deliver. */
export interface CursorWork {
  readonly record: PushRecord;
  readonly tenant: string;
  /** Failed attempts of the first event. */
  readonly tries: number;
  /** When the first event was tried or put off first, ms since 1970; 0 when it was not yet. */
  readonly since: number;
  /** What was sent at the first attempt, where the log does not have it. */
  readonly keptBody: string;
  /** The place of the task in its caller's trace. */
  readonly trace: TraceCarrier;
  /** The W3C traceparent of the last attempt of the first event, where that was recorded; else ''. */
  readonly attemptBefore: string;
  readonly events: readonly LoggedEvent[];
}

/** A webhook that is due, and how often it was let go: the two name its job. */
export interface DueHook extends HookRef {
  readonly wake: string;
}

export interface Taken {
  readonly due: readonly DueHook[];
  /** Until the next one of this shard is due; undefined when there is none. */
  readonly nextMs: number | undefined;
}

/** Longer than any attempt: after it a crashed delivery is taken up by another process. */
export const CURSOR_LEASE_MS = 25_000;
/** How long a job may wait in the queue before it is added again (and found to be there). */
const JOB_GRACE_MS = 5_000;
const EVENTS_AT_ONCE = 32;
const MOST_DUE = 200;

/** The cursors of webhooks: each stands at the next event of its task's log, and one caller at a time moves it. */
@Injectable()
export class CursorStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(PushOptions) options: PushOptions,
    private readonly clock: Clock,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** Takes what is due in each of the shards. */
  async take(shards: readonly number[] = ALL_SHARDS): Promise<readonly Taken[]> {
    const args = [MOST_DUE, JOB_GRACE_MS, this.clock.aheadMs];
    return Promise.all(
      shards.map(async (shard) => takenOf(await PUSH_SCRIPTS.take.run(this.redis, [this.keys.outbox(shard)], args))),
    );
  }

  /** How long the webhook that is most overdue should have been looked at, in ms; 0 when none is late. */
  async overdueMs(): Promise<number> {
    const firsts = await Promise.all(
      ALL_SHARDS.map((shard) => this.redis.zrange(this.keys.outbox(shard), '0', '0', 'WITHSCORES')),
    );
    const soonest = Math.min(...firsts.map(([, due]) => Number(due ?? Infinity)));
    return Math.max(0, this.clock.now() - soonest);
  }

  /** Undefined: there is nothing to do here now. */
  async begin(hold: CursorHold): Promise<CursorWork | undefined> {
    const args = [...this.head(hold), CURSOR_LEASE_MS, EVENTS_AT_ONCE, this.clock.aheadMs];
    const reply = (await PUSH_SCRIPTS.begin.run(
      this.redis,
      this.keys.cursor(hold.taskId),
      args,
    )) as readonly ScriptReply[];
    if (reply[0] !== 'WORK') return undefined;
    const [, record, tries, since, keptBody, tenant, spans, ...events] = reply as [
      string,
      string,
      number,
      number,
      string,
      string,
      readonly [string, string, string],
      ...EventReply[],
    ];
    const [traceparent, tracestate, attemptBefore] = spans;
    const trace = { traceparent, tracestate };
    const logged = events.map(eventOf);
    return { record: parseRecord(record), tries, since, keptBody, tenant, trace, attemptBefore, events: logged };
  }

  /**
   * Moves on behind an event; gives the events from there, none when all is delivered or the cursor was lost. The cursor
   * stays when a failover has lost that event meanwhile: another one will have its number.
   */
  async advance(
    hold: CursorHold,
    { seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>,
    note: AdvanceNote = {},
  ): Promise<readonly LoggedEvent[]> {
    const { line = '', deadLetter } = note;
    const reply = (await PUSH_SCRIPTS.advance.run(
      this.redis,
      [...this.keys.cursor(hold.taskId), ...this.keys.deadOf(hold.taskId)],
      [
        ...[...this.head(hold), seq + 1, CURSOR_LEASE_MS, EVENTS_AT_ONCE, this.clock.aheadMs, line],
        ...(deadLetter === undefined ? ['', ''] : [deadLetter.name, JSON.stringify(deadLetter)]),
        nonce,
      ],
    )) as readonly [string, ...EventReply[]];
    const [verdict, ...events] = reply;
    return verdict === 'WORK' ? events.map(eventOf) : [];
  }

  /** Lets go until later; `tried` counts a failed attempt. */
  async postpone(hold: CursorHold, delayMs: number, note: PostponeNote): Promise<void> {
    const { tried, line = '', body = '', span = '' } = note;
    await PUSH_SCRIPTS.postpone.run(this.redis, this.keys.cursor(hold.taskId), [
      ...[...this.head(hold), Math.ceil(delayMs), tried ? 1 : 0, this.clock.aheadMs, line, body, span],
    ]);
  }

  /** Stops the webhook: its cursor stays, and a dead letter says so. */
  async stop(hold: CursorHold, letter: DeadLetter, line = ''): Promise<void> {
    await PUSH_SCRIPTS.stop.run(
      this.redis,
      [...this.keys.cursor(hold.taskId), ...this.keys.deadOf(hold.taskId)],
      [
        ...[...this.head(hold), JSON.stringify({ reason: letter.reason, at: letter.at })],
        ...[letter.name, JSON.stringify(letter), this.clock.aheadMs, line],
      ],
    );
  }

  private head({ taskId, configId, token }: CursorHold): readonly [string, string, string] {
    return [taskId, configId, token];
  }
}

export interface AdvanceNote {
  /** JSON line of the attempt. */
  readonly line?: string;
  /** Set when the event was given up. */
  readonly deadLetter?: DeadLetter;
}

export interface PostponeNote {
  readonly tried: boolean;
  readonly line?: string;
  /** What to send again, where the log does not have it. */
  readonly body?: string;
  /** The W3C traceparent of the attempt that failed. */
  readonly span?: string;
}

type EventReply = readonly [number, string, string];

const ALL_SHARDS = Array.from({ length: SHARDS }, (_unused, shard) => shard);

function eventOf([seq, nonce, body]: EventReply): LoggedEvent {
  return { seq, nonce, event: Json.ofText(body) };
}

function takenOf(reply: ScriptReply): Taken {
  const [nextMs, ...members] = reply as readonly [number, ...(readonly [string, string])[]];
  const due = members.map(([member, wake]) => {
    const space = member.indexOf(' ');
    return { taskId: member.slice(0, space), configId: member.slice(space + 1), wake };
  });
  return { due, nextMs: nextMs < 0 ? undefined : nextMs };
}
