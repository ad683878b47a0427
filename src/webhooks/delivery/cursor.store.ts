import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Json } from '@parley/protocol/model/json.js';
import { RunRedis } from '../../platform/redis/connection/connections.js';
import { type LoggedEvent, PAGE_BYTES } from '../../tasks/commit/event-log.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';
import { ALL_SHARDS } from '../../tasks/task.keys.js';
import { PushClock } from '../push.clock.js';
import type { DeadLetter } from '../dead-letter/dead-letter.store.js';
import { PushKeys } from '../push.keys.js';
import { PushOptions } from '../push.options.js';
import { parseRecord, type PushRecord } from '../config/push-record.js';
import { PUSH_SCRIPTS } from '../push.scripts.js';

/** A webhook of a task. */
export interface HookRef {
  readonly taskId: string;
  readonly configId: string;
}

/** The right to deliver to a webhook: one caller has it until it releases the cursor or its lease ends. */
export interface CursorClaim extends HookRef {
  readonly token: string;
}

/** A cursor that this process has claimed. */
export interface ClaimedCursor extends CursorClaim {
  readonly record: PushRecord;
  /** The trace context of the task's caller. */
  readonly trace: CallTrace;
  readonly batch: Batch;
}

/** Events to deliver and the retry state of the first one. */
export interface Batch {
  /** The number of the next event; the first of `events` has a higher one when the log has dropped some. */
  readonly next: number;
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]];
  /** Failed attempts of the first event. */
  readonly tries: number;
  /** First attempt or postponement of the first event, ms since 1970; 0 if there was none. */
  readonly since: number;
  /** Consecutive events before the first one that the receiver refused. */
  readonly refused: number;
  /** The body of the first attempt, if the log does not have it; see `keptBodyOf`. */
  readonly keptBody: string;
  /** The W3C traceparent of the first event's last attempt, if recorded; else ''. */
  readonly attemptBefore: string;
  /** Bytes of the first event if it is too large to be included (the batch then holds no other); else 0. */
  readonly bytes: number;
}

/** Webhooks taken from the outbox of a shard. */
export interface Taken {
  readonly shard: number;
  readonly due: readonly HookRef[];
  /** Milliseconds until the next webhook of this shard is due; undefined when there is none. */
  readonly nextMs: number | undefined;
}

/** Longer than any attempt: after it another process may claim the cursor of a crashed delivery. */
export const CURSOR_LEASE_MS = 25_000;
/** Delay before a taken but unclaimed webhook is due again (its process crashed in between). */
const TAKEN_MS = 5_000;
const EVENTS_AT_ONCE = 32;

/** The cursors of webhooks. A cursor points to the next event in its task's log; one claimant at a time moves it. */
@Injectable()
export class CursorStore {
  private readonly keys: PushKeys;

  constructor(
    @Inject(RunRedis) private readonly redis: RunRedis,
    @Inject(PushOptions) options: PushOptions,
    readonly clock: PushClock,
  ) {
    this.keys = new PushKeys(options.keyPrefix);
  }

  /** Takes due webhooks of shards, at most `most` of each; other processes do not get them meanwhile. */
  async take(shards: readonly number[], most: number): Promise<readonly Taken[]> {
    return Promise.all(shards.map((shard) => this.takeFrom(shard, most)));
  }

  private async takeFrom(shard: number, most: number): Promise<Taken> {
    const args = { maxTaken: most, takenMs: TAKEN_MS, aheadMs: this.clock.aheadMs };
    const reply = await PUSH_SCRIPTS.take.run(this.redis, { outbox: this.keys.outbox(shard) }, args);
    const [nextMs, ...members] = reply as TakeReply;
    return { shard, due: members.map(hookOf), nextMs: nextMs < 0 ? undefined : nextMs };
  }

  /** Webhooks that are due and not taken, and those that are being delivered or are due within the time of a lease. */
  async counts(): Promise<{ readonly waiting: number; readonly active: number }> {
    const now = this.clock.now();
    const count = async (from: number | string, to: number): Promise<number> => {
      const counts = ALL_SHARDS.map((shard) => this.redis.zcount(this.keys.outbox(shard), from, to));
      return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
    };
    const [waiting, active] = await Promise.all([count('-inf', now), count(`(${String(now)}`, now + CURSOR_LEASE_MS)]);
    return { waiting, active };
  }

  /** Age of the most overdue webhook, in ms; 0 when none is late. */
  async overdueMs(): Promise<number> {
    const firsts = await Promise.all(
      ALL_SHARDS.map((shard) => this.redis.zrange(this.keys.outbox(shard), '0', '0', 'WITHSCORES')),
    );
    const soonest = Math.min(...firsts.map(([, due]) => Number(due ?? Infinity)));
    return Math.max(0, this.clock.now() - soonest);
  }

  /** Undefined when there is nothing to deliver now, or another dispatcher holds the lease. */
  async claim({ taskId, configId }: HookRef): Promise<ClaimedCursor | undefined> {
    const claim = { taskId, configId, token: randomUUID() };
    const args = { ...this.head(claim), ...this.page() };
    const reply = await PUSH_SCRIPTS.claim.run(this.redis, this.keys.cursor(taskId), args);
    const [verdict, record, head, keptBody, spans, ...events] = reply as ClaimReply;
    if (verdict !== 'WORK' || !isFilled(events)) return undefined;
    const [next, tries, since, refused] = head;
    const [traceparent, tracestate, names, attemptBefore] = spans;
    const batch = { next, ...batchOf(events), tries, since, refused, keptBody, attemptBefore };
    return { ...claim, record: parseRecord(record), trace: { traceparent, tracestate, names }, batch };
  }

  /**
   * Moves the cursor past an event and returns the events from there; undefined when all are delivered or the claim was
   * lost. The cursor stays when a failover lost that event: another event will get its number.
   */
  async advance(
    claim: CursorClaim,
    { seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>,
    { line = '', deadLetter, refused = 0 }: AdvanceNote = {},
  ): Promise<Batch | undefined> {
    const next = seq + 1;
    const reply = await PUSH_SCRIPTS.advance.run(this.redis, this.keysToMove(claim), {
      ...{ ...this.head(claim), ...this.page(), nextEvent: next, line, nonce, refused },
      deadName: deadLetter?.name ?? '',
      deadLetter: deadLetter === undefined ? '' : JSON.stringify(deadLetter),
    });
    const [verdict, ...events] = reply as readonly [string, ...EventReply[]];
    if (verdict !== 'WORK' || !isFilled(events)) return undefined;
    return { next, ...batchOf(events), tries: 0, since: 0, refused, keptBody: '', attemptBefore: '' };
  }

  /** Releases the cursor until later; `tried` counts a failed attempt. */
  async postpone(claim: CursorClaim, delayMs: number, note: PostponeNote): Promise<void> {
    const { tried, line = '', body = '', span = '' } = note;
    const { taskId } = claim;
    const keys = { ...this.keys.cursor(taskId), attempts: this.keys.attempts(taskId) };
    await PUSH_SCRIPTS.postpone.run(this.redis, keys, {
      ...{ ...this.head(claim), delayMs: Math.ceil(delayMs), failed: tried ? 1 : 0, aheadMs: this.clock.aheadMs },
      ...{ line, body, span, ...this.keys.hintOf(taskId) },
    });
  }

  /** Stops the webhook: its cursor stays, and a dead letter is recorded. */
  async stop(claim: CursorClaim, letter: DeadLetter, line = ''): Promise<void> {
    await PUSH_SCRIPTS.stop.run(this.redis, this.keysToMove(claim), {
      ...{ ...this.head(claim), why: JSON.stringify({ reason: letter.reason, at: letter.at }), line },
      ...{ deadName: letter.name, deadLetter: JSON.stringify(letter), aheadMs: this.clock.aheadMs },
    });
  }

  /** The keys of scripts that move a cursor past an event, or stop it there. */
  private keysToMove({ taskId }: HookRef) {
    return { ...this.keys.cursor(taskId), ...this.keys.deadOf(taskId), attempts: this.keys.attempts(taskId) };
  }

  private head({ taskId, configId, token }: CursorClaim) {
    return { id: taskId, hook: configId, token };
  }

  /** The lease of a claim and the limits of its page of events. */
  private page() {
    const aheadMs = this.clock.aheadMs;
    return { leaseMs: CURSOR_LEASE_MS, maxEvents: EVENTS_AT_ONCE, maxBytes: PAGE_BYTES, aheadMs };
  }
}

export interface AdvanceNote {
  /** JSON line of the attempt. */
  readonly line?: string;
  /** Set if the event was dead-lettered. */
  readonly deadLetter?: DeadLetter;
  /** Consecutive events that the receiver refused, including this one. */
  readonly refused?: number;
}

export interface PostponeNote {
  readonly tried: boolean;
  readonly line?: string;
  /** The body to send again, if the log does not have it. */
  readonly body?: string;
  /** The W3C traceparent of the attempt that failed. */
  readonly span?: string;
}

type EventReply = readonly [number, string, string, number];

type ClaimReply = readonly [
  string,
  string,
  readonly [number, number, number, number],
  string,
  readonly [string, string, string, string],
  ...EventReply[],
];

function isFilled(events: readonly EventReply[]): events is readonly [EventReply, ...EventReply[]] {
  return events.length > 0;
}

function batchOf([first, ...others]: readonly [EventReply, ...EventReply[]]): Pick<Batch, 'bytes' | 'events'> {
  return { events: [eventOf(first), ...others.map(eventOf)], bytes: first[3] };
}

function eventOf([seq, nonce, body]: EventReply): LoggedEvent {
  return { seq, nonce, event: Json.ofText(body) };
}

type TakeReply = readonly [number, ...string[]];

/** @param member `<task id> <config id>`, of an outbox */
function hookOf(member: string): HookRef {
  const space = member.indexOf(' ');
  return { taskId: member.slice(0, space), configId: member.slice(space + 1) };
}
