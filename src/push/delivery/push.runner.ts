import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from '../../task/event-log.js';
import { AttemptWriter, bodyToKeep } from './attempt-writer.js';
import { Clock } from '../clock.js';
import { type CursorHold, CursorStore, type CursorWork, type HookRef } from './cursor.store.js';
import { type DeadLetter, deadLetterName } from '../dead-letter/dead-letter.js';
import { EndpointGate, endpointOf, type GateOutcome } from '../endpoint/endpoint-gate.js';
import { nextEvent } from './next-event.js';
import type { PushAttempt } from './request.js';
import { RETRY_HORIZON_MS, retryDelay } from './retry-schedule.js';

/** One job serves a webhook for so many events, then others get their turn. */
const MOST_EVENTS = 64;

/** Why a webhook is stopped whose receiver has had all its chances. */
const EXHAUSTED = 'retries_exhausted';

/** A stretch of the way: the events ahead of the cursor, and how the first of them has fared. */
interface Stretch {
  readonly events: readonly LoggedEvent[];
  readonly tries: number;
}

/**
 * Serves one webhook of one task: delivers event after event from the cursor on, until there are none, one fails, or the
 * receiver has no room. The order of events is the order of the log, since nothing goes out before what is ahead of it
 * has been delivered or given up (A2A-PN-08).
 */
@Injectable()
export class PushRunner {
  constructor(
    private readonly cursors: CursorStore,
    private readonly writer: AttemptWriter,
    private readonly gate: EndpointGate,
    private readonly clock: Clock,
  ) {}

  /** Throws the reason of `signal`: the cursor is let go before. */
  async run(ref: HookRef, signal: AbortSignal): Promise<void> {
    const hold = { ...ref, token: randomUUID() };
    const work = await this.cursors.begin(hold);
    if (work === undefined) return;
    let stretch: Stretch | undefined = { events: work.events, tries: work.tries };
    for (let served = 0; stretch !== undefined && stretch.events.length > 0; served += 1) {
      if (served === MOST_EVENTS || signal.aborted) {
        await this.cursors.postpone(hold, 0, { tried: false });
        return;
      }
      stretch = await this.serve(hold, work, stretch, signal);
    }
  }

  /** Deals with the next event; undefined when the cursor was let go. */
  private async serve(
    hold: CursorHold,
    work: CursorWork,
    stretch: Stretch,
    signal: AbortSignal,
  ): Promise<Stretch | undefined> {
    const { events, tries } = stretch;
    const logged = nextEvent(events, work.record.events, tries > 0);
    const last = events.at(-1);
    if (logged === undefined) return last && this.advance(hold, last);
    const push = await this.writer.write(work, logged, tries);
    if (push === undefined) return undefined;
    try {
      const outcome = await this.gate.pass(push, signal);
      return await this.follow(hold, { work, stretch, push }, outcome);
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.cursors.postpone(hold, 0, { tried: false, ...bodyToKeep(push) });
      return undefined;
    }
  }

  private async follow(hold: CursorHold, on: Served, outcome: GateOutcome): Promise<Stretch | undefined> {
    const { push, stretch } = on;
    if (outcome.kind === 'disabled')
      return this.stop(hold, this.letter(on, 'webhook', 'endpoint_disabled', stretch.tries));
    if (outcome.kind === 'wait') return this.wait(hold, on, outcome.ms);
    const { verdict } = outcome;
    const line = JSON.stringify(outcome.line);
    switch (verdict.kind) {
      case 'delivered':
        return this.advance(hold, push, line);
      case 'drop':
        return this.advance(hold, push, line, this.letter(on, 'event', verdict.reason, push.attempt));
      case 'stop':
        return this.stop(hold, this.letter(on, 'webhook', verdict.reason, push.attempt), line);
      case 'retry': {
        const delay = retryDelay(push.attempt, Math.random(), verdict.retryAfterMs);
        if (delay === undefined) return this.stop(hold, this.letter(on, 'webhook', EXHAUSTED, push.attempt), line);
        const { span } = outcome;
        await this.cursors.postpone(hold, delay, { tried: true, line, span, ...bodyToKeep(push) });
        return undefined;
      }
    }
  }

  private async advance(
    hold: CursorHold,
    passed: Pick<LoggedEvent, 'seq' | 'nonce'>,
    line?: string,
    deadLetter?: DeadLetter,
  ): Promise<Stretch | undefined> {
    const events = await this.cursors.advance(hold, passed, {
      ...(line === undefined ? {} : { line }),
      ...(deadLetter === undefined ? {} : { deadLetter }),
    });
    return { events, tries: 0 };
  }

  /** Puts an event off without spending an attempt, but not for ever. */
  private async wait(hold: CursorHold, on: Served, ms: number): Promise<undefined> {
    const { since } = on.work;
    if (since > 0 && this.clock.now() - since > RETRY_HORIZON_MS) {
      return this.stop(hold, this.letter(on, 'webhook', EXHAUSTED, on.stretch.tries));
    }
    await this.cursors.postpone(hold, ms, { tried: false, ...bodyToKeep(on.push) });
    return undefined;
  }

  private async stop(hold: CursorHold, letter: DeadLetter, line?: string): Promise<undefined> {
    await this.cursors.stop(hold, letter, line);
    return undefined;
  }

  /** A webhook is given up from its cursor on, an event by its own number. */
  private letter({ push, stretch }: Served, scope: DeadLetter['scope'], reason: string, attempts: number): DeadLetter {
    const { taskId, id: configId } = push.record;
    const seq = scope === 'event' ? push.seq : (stretch.events[0]?.seq ?? push.seq);
    const at = new Date(this.clock.now()).toISOString();
    return {
      name: deadLetterName(taskId, configId, seq),
      taskId,
      configId,
      seq,
      scope,
      ...endpointOf(push),
      reason,
      attempts,
      at,
    };
  }
}

/** The event that is being dealt with, and where it stands. */
interface Served {
  readonly work: CursorWork;
  readonly stretch: Stretch;
  readonly push: PushAttempt;
}
