import type { EventLog, LoggedEvent } from '../task/event-log.js';

/** Events kept in memory for one reader; the log is the buffer for the rest. */
const MOST_WAITING = 64;
const PAGE = 100;

/** Events between the reader's place and the log's beginning are gone: it needs the task as it stands. */
export class EventsTrimmed extends Error {
  override readonly name = 'EventsTrimmed';
}

/**
 * One reader of one task's events, from a place on: in order, without a gap, without a repeat. Live messages are handed
 * on while they continue the sequence; after anything else (a gap, a full queue, a hint of missed events) it reads the log.
 */
export class Follower {
  private readonly waiting: LoggedEvent[] = [];
  private behind = false;
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly taskId: string,
    private readonly log: EventLog,
    private next = 1,
  ) {}

  /** The number of the event that the reader gets next. */
  get place(): number {
    return this.next;
  }

  /** Begins after `seq`; what waits from before is dropped. */
  startAfter(seq: number): void {
    this.next = seq + 1;
  }

  /** Takes a live event; never blocks and never holds more than its bound. */
  offer(event: LoggedEvent): void {
    const expected = (this.waiting.at(-1)?.seq ?? event.seq - 1) + 1;
    if (this.waiting.length < MOST_WAITING && event.seq === expected) this.waiting.push(event);
    else if (event.seq >= expected) this.behind = true;
    this.wake?.();
  }

  /** Tells that the log holds events up to `seq`. */
  hint(seq: number): void {
    if (seq < this.next) return;
    this.behind = true;
    this.wake?.();
  }

  end(): void {
    this.ended = true;
    this.wake?.();
  }

  /** Throws `EventsTrimmed` when the log no longer reaches back to the reader's place. */
  async *events(): AsyncGenerator<LoggedEvent, void, void> {
    while (!this.ended) {
      const event = this.takeWaiting();
      if (event !== undefined) yield event;
      else if (this.behind) yield* this.readLog();
      else await this.somethingNew();
    }
  }

  private takeWaiting(): LoggedEvent | undefined {
    while ((this.waiting[0]?.seq ?? this.next) < this.next) this.waiting.shift();
    const first = this.waiting[0];
    if (first === undefined) return undefined;
    if (first.seq > this.next) {
      this.behind = true;
      return undefined;
    }
    this.next += 1;
    return this.waiting.shift();
  }

  private async *readLog(): AsyncGenerator<LoggedEvent, void, void> {
    const page = await this.log.from(this.taskId, this.next, PAGE);
    const first = page[0];
    if (first !== undefined && first.seq > this.next) throw new EventsTrimmed();
    this.behind = page.length === PAGE;
    if (first === undefined) this.waiting.length = 0;
    for (const event of page) {
      if (this.ended) return;
      if (event.seq < this.next) continue;
      this.next = event.seq + 1;
      yield event;
    }
  }

  private async somethingNew(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
  }
}
