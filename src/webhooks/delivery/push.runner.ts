import { Injectable, Logger } from '@nestjs/common';
import { callerFields, storedFields } from '../../platform/logging/call-fields.js';
import { addLineFields } from '../../platform/logging/line-fields.js';
import type { Block } from '../../blocks/block-file.js';
import { Blocks, HELD_MS } from '../../blocks/blocks.js';
import { nextEvent } from '../config/event-filter.js';
import { type PushRecord, UnreadableSecrets } from '../config/push-record.js';
import type { LoggedEvent } from '../../tasks/commit/event-log.js';
import { type DeadLetter, deadLetterName } from '../dead-letter/dead-letter.store.js';
import { EndpointGate } from '../endpoint/endpoint-gate.js';
import type { EndpointVisit, Passage } from '../endpoint/endpoint-visit.js';
import type { Endpoint } from '../endpoint/endpoint.store.js';
import { AttemptSender, type MadeAttempt } from './attempt/attempt.sender.js';
import { AttemptWriter, bodyToKeep, type OpenedSecrets } from './attempt/attempt-writer.js';
import { type Batch, type ClaimedCursor, CursorStore, type HookRef } from './cursor.store.js';
import type { PushAttempt } from './attempt/request.js';
import { RETRY_HORIZON_MS, retryDelay } from './retry-schedule.js';

/** Events of one webhook per delivery, then other webhooks get their turn. */
const MAX_EVENTS = 64;
/** Delay before a large event without room is tried again. */
const NO_ROOM_MS = 1_000;
/** Pauses while the key of a webhook's secrets is gone. */
const KEY_PAUSE_MS = { min: 10_000, max: 600_000 };
/** A webhook is stopped after this many consecutive events were refused (four attempts each). */
const MAX_REFUSED = 10;

/** A webhook with a claimed cursor. */
interface Claimed {
  readonly cursor: ClaimedCursor;
  readonly visit: EndpointVisit;
  readonly signal: AbortSignal;
  /** Read once for a delivery. */
  opened?: OpenedSecrets;
}

/** The event in delivery, with its webhook and batch. */
interface Delivery {
  readonly cursor: ClaimedCursor;
  readonly batch: Batch;
  readonly push: PushAttempt;
}

/**
 * Delivers to one webhook of one task, event after event from its cursor on, until there are none, one fails, or the
 * receiver has no free slot. Events are sent in log order: each is delivered or dead-lettered before the next
 * (A2A-PN-08).
 */
@Injectable()
export class PushRunner {
  private readonly log = new Logger(PushRunner.name);

  constructor(
    private readonly cursors: CursorStore,
    private readonly writer: AttemptWriter,
    private readonly gate: EndpointGate,
    private readonly sender: AttemptSender,
    private readonly blocks: Blocks,
  ) {}

  /** When `signal` is aborted, the attempt in progress is aborted and the cursor released. */
  async run(ref: HookRef, signal: AbortSignal): Promise<void> {
    const cursor = await this.cursors.claim(ref);
    if (cursor === undefined) return;
    addLineFields({ ...callerFields(cursor.record), ...storedFields(cursor.trace.names) });
    const visit = this.gate.visit(endpointOf(cursor.record));
    try {
      await this.deliver({ cursor, visit, signal });
    } finally {
      await visit.leave();
    }
  }

  private async deliver(claimed: Claimed): Promise<void> {
    const { cursor, signal } = claimed;
    let batch: Batch | undefined = cursor.batch;
    for (let events = 0; batch !== undefined; events += 1) {
      const block = this.blocks.of(cursor.record);
      if (block !== undefined) return this.leaveBlocked(cursor, batch, block);
      if (events === MAX_EVENTS || signal.aborted) return this.cursors.postpone(cursor, 0, { tried: false });
      batch = await this.deliverNext(claimed, batch);
    }
  }

  /** The webhook of a blocked caller stops, or waits where its tasks do. */
  private async leaveBlocked(cursor: ClaimedCursor, { events, tries }: Batch, { tasks }: Block): Promise<void> {
    if (tasks === 'hold') return this.cursors.postpone(cursor, HELD_MS, { tried: false });
    const about = { seq: events[0].seq, scope: 'webhook', reason: 'caller_blocked', attempts: tries } as const;
    await this.cursors.stop(cursor, this.letter(cursor.record, about));
  }

  /** Returns the remaining batch; undefined when the cursor was released. */
  private async deliverNext(claimed: Claimed, batch: Batch): Promise<Batch | undefined> {
    const { cursor } = claimed;
    if (batch.events[0].seq > batch.next) return this.passGap(cursor, batch);
    const loaded = await this.gate.large.makeRoom(cursor.record, batch.bytes);
    if (loaded === 'small') return this.deliverEvent(claimed, batch);
    if (loaded === 'no-room') return await this.releaseFor(cursor, NO_ROOM_MS);
    try {
      const [first] =
        batch.bytes === 0 ? batch.events : await this.gate.large.eventAt(cursor.taskId, batch.events[0].seq);
      if (first === undefined) return await this.releaseFor(cursor, 0);
      return await this.deliverEvent(claimed, batch.bytes === 0 ? batch : { ...batch, events: [first] });
    } finally {
      loaded.free();
    }
  }

  private async releaseFor(cursor: ClaimedCursor, ms: number): Promise<Batch | undefined> {
    await this.cursors.postpone(cursor, ms, { tried: false });
    return undefined;
  }

  private async deliverEvent(claimed: Claimed, batch: Batch): Promise<Batch | undefined> {
    const { cursor, visit, signal } = claimed;
    const event = nextEvent(batch.events, cursor.record.events, batch.tries > 0);
    if (event === undefined) return this.passUnwanted(cursor, batch);
    const opened = claimed.opened ?? (await this.open(cursor.record));
    if (opened === undefined) return this.awaitKey(cursor, batch, event);
    claimed.opened = opened;
    const push = await this.writer.write(cursor, batch, event, opened);
    if (push === undefined) return undefined;
    const delivery = { cursor, batch, push };
    try {
      const passage = await visit.pass(() => this.sender.send(push, signal));
      return await this.settle(delivery, passage);
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.cursors.postpone(cursor, 0, { tried: false, ...bodyToKeep(push) });
      return undefined;
    }
  }

  private async open(record: PushRecord): Promise<OpenedSecrets | undefined> {
    try {
      return await this.writer.open(record);
    } catch (error) {
      if (error instanceof UnreadableSecrets) return undefined;
      throw error;
    }
  }

  /** Postpones until the key of the webhook's secrets is back, doubling the pause, without spending an attempt. */
  private async awaitKey(cursor: ClaimedCursor, batch: Batch, event: LoggedEvent): Promise<undefined> {
    const line = JSON.stringify(this.sender.unreadable(cursor.record, event, batch.tries + 1));
    const waitedMs = batch.since === 0 ? 0 : this.cursors.clock.now() - batch.since;
    const ms = Math.min(Math.max(waitedMs, KEY_PAUSE_MS.min), KEY_PAUSE_MS.max);
    await this.cursors.postpone(cursor, ms, { tried: false, line });
  }

  private settle(delivery: Delivery, passage: Passage<MadeAttempt>): Promise<Batch | undefined> {
    switch (passage.kind) {
      case 'attempted':
        return this.follow(delivery, passage.attempt);
      case 'wait':
        return this.putOff(delivery, passage.ms);
      case 'disabled':
        return this.stop(delivery, 'endpoint_disabled');
    }
  }

  /** The log was trimmed before delivery: records the gap once and continues after it. */
  private passGap(cursor: ClaimedCursor, { next: seq, events, refused }: Batch): Promise<Batch | undefined> {
    const lastSeq = events[0].seq - 1;
    const { taskId, configId } = cursor;
    this.log.warn({ event: 'push.events-dropped', taskId, configId, seq, lastSeq });
    const about = { seq, scope: 'gap', reason: 'events_trimmed', attempts: 0 } as const;
    const letter = { ...this.letter(cursor.record, about), lastSeq };
    return this.cursors.advance(cursor, { seq: lastSeq, nonce: '' }, { deadLetter: letter, refused });
  }

  private passUnwanted(cursor: ClaimedCursor, { events, refused }: Batch): Promise<Batch | undefined> {
    return this.cursors.advance(cursor, events.at(-1) ?? events[0], { refused });
  }

  private follow(delivery: Delivery, made: MadeAttempt): Promise<Batch | undefined> {
    const { cursor, push } = delivery;
    const { outcome } = made;
    switch (outcome.kind) {
      case 'delivered':
        return this.cursors.advance(cursor, push, { line: JSON.stringify(made.log) });
      case 'drop':
        return this.giveUpEvent(delivery, made, outcome.reason);
      case 'stop':
        return this.stop(delivery, outcome.reason, made);
      case 'retry':
        return this.retry(delivery, made, outcome.retryAfterMs);
    }
  }

  /** Continues after a refused event; stops a webhook that refuses everything. */
  private giveUpEvent(delivery: Delivery, made: MadeAttempt, reason: string): Promise<Batch | undefined> {
    const { cursor, batch, push } = delivery;
    const refused = made.sign === 'refused' ? batch.refused + 1 : 0;
    if (refused === MAX_REFUSED) return this.stop(delivery, reason, made);
    const { seq, attempt: attempts } = push;
    const deadLetter = this.letter(cursor.record, { seq, scope: 'event', reason, attempts });
    return this.cursors.advance(cursor, push, { line: JSON.stringify(made.log), deadLetter, refused });
  }

  private async retry(delivery: Delivery, made: MadeAttempt, retryAfterMs?: number): Promise<undefined> {
    const { cursor, push } = delivery;
    const delay = retryDelay(push.attempt, Math.random(), retryAfterMs);
    if (delay === undefined) return this.stop(delivery, 'retries_exhausted', made);
    const { log, span } = made;
    await this.cursors.postpone(cursor, delay, { tried: true, line: JSON.stringify(log), span, ...bodyToKeep(push) });
    return undefined;
  }

  /** Postpones an event without spending an attempt, within the retry horizon. */
  private async putOff(delivery: Delivery, ms: number): Promise<undefined> {
    const { cursor, batch, push } = delivery;
    if (batch.since > 0 && this.cursors.clock.now() - batch.since > RETRY_HORIZON_MS) {
      return this.stop(delivery, 'retries_exhausted');
    }
    await this.cursors.postpone(cursor, ms, { tried: false, ...bodyToKeep(push) });
    return undefined;
  }

  /** Stops the webhook at its cursor. `made`: the deciding attempt, if there was one. */
  private async stop({ cursor, batch, push }: Delivery, reason: string, made?: MadeAttempt): Promise<undefined> {
    const attempts = made === undefined ? batch.tries : push.attempt;
    const letter = this.letter(cursor.record, { seq: batch.events[0].seq, scope: 'webhook', reason, attempts });
    await this.cursors.stop(cursor, letter, made === undefined ? '' : JSON.stringify(made.log));
    return undefined;
  }

  private letter(record: PushRecord, about: Pick<DeadLetter, 'seq' | 'scope' | 'reason' | 'attempts'>): DeadLetter {
    const { taskId, id: configId } = record;
    const name = deadLetterName(taskId, configId, about.seq);
    const at = new Date(this.cursors.clock.now()).toISOString();
    return { name, taskId, configId, ...endpointOf(record), ...about, at };
  }
}

function endpointOf({ tenant, url }: PushRecord): Endpoint {
  return { tenant, origin: new URL(url).origin };
}
