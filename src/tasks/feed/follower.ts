import type { EventLog, EventName, LoggedEvent } from '../commit/event-log.js';

/** Events kept in memory for one reader; the log is the buffer for the rest. */
const MAX_WAITING = 64;
/** Maximum bytes of those events; a larger one waits alone. */
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * Events between the reader's cursor and the log are gone, or were replaced after a failover: the reader needs the
 * current task.
 */
export class EventsTrimmed extends Error {
  override readonly name = 'EventsTrimmed';
}

/**
 * One subscriber of one task's events, from a cursor on: in order, without gaps or repeats. Passes live messages on
 * while they continue the sequence; otherwise (a gap, a full queue, a hint of missed events) reads the log.
 */
export class Follower {
  private readonly waiting: LoggedEvent[] = [];
  /** Events read from the log but not yet passed on. */
  private page: LoggedEvent[] = [];
  /** Bytes of waiting events. */
  private bytes = 0;
  private behind = false;
  /** The nonce of the event at the reader's cursor; '' while unknown. */
  private nonceBefore = '';
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly taskId: string,
    private readonly log: Pick<EventLog, 'page'>,
    private nextSeq = 1,
  ) {}

  /** Begins after an event; drops earlier waiting ones. @param page already read events that follow it */
  startAfter({ seq, nonce }: EventName, page: readonly LoggedEvent[] = []): void {
    this.nextSeq = seq + 1;
    this.nonceBefore = nonce;
    this.page = [...page];
  }

  /** Takes a live event; never blocks and never holds more than its bound. */
  offer(event: LoggedEvent): void {
    const expected = (this.waiting.at(-1)?.seq ?? event.seq - 1) + 1;
    if (event.seq === expected && this.hasRoomFor(event)) {
      this.waiting.push(event);
      this.bytes += bytesOf(event);
    } else if (event.seq >= expected) {
      this.behind = true;
    }
    this.wake?.();
  }

  private hasRoomFor(event: LoggedEvent): boolean {
    const { length } = this.waiting;
    return length === 0 || (length < MAX_WAITING && this.bytes + bytesOf(event) <= MAX_WAITING_BYTES);
  }

  /**
   * Reports the log's latest event. One before the reader's cursor matters too, if the reader has seen another one
   * there.
   */
  hint({ seq, nonce }: EventName): void {
    const isKnown =
      seq < this.nextSeq && seq >= this.nextSeq - 1 && (this.nonceBefore === '' || nonce === this.nonceBefore);
    if (isKnown) return;
    this.behind = true;
    this.wake?.();
  }

  end(): void {
    this.ended = true;
    this.wake?.();
  }

  /**
   * The next event when there is one; undefined after the end of the reader. One at a time, without generators, whose
   * frames would cost each open stream more memory than its socket. Throws `EventsTrimmed` if the log was trimmed
   * beyond the reader's cursor.
   */
  async next(): Promise<LoggedEvent | undefined> {
    while (!this.ended) {
      const event = this.page.shift() ?? this.takeWaiting();
      if (event !== undefined) {
        this.nextSeq = event.seq + 1;
        this.nonceBefore = event.nonce;
        return event;
      }
      if (this.behind) await this.readLog();
      else {
        await new Promise<void>((wake) => {
          this.wake = wake;
        });
      }
    }
    return undefined;
  }

  private takeWaiting(): LoggedEvent | undefined {
    while ((this.waiting[0]?.seq ?? this.nextSeq) < this.nextSeq) {
      const earlier = this.take();
      // A delivered number by another writer: after a failover it may be that of another event.
      if (earlier?.seq === this.nextSeq - 1 && this.nonceBefore !== '' && earlier.nonce !== this.nonceBefore)
        this.behind = true;
    }
    const [first] = this.waiting;
    if (first === undefined) return undefined;
    // Another run continues the task: the log shows whether it has kept all delivered events. The first event is that
    // of the task itself, which exists or does not.
    const isNewWriter = this.nextSeq > 2 && this.nonceBefore !== '' && first.nonce !== this.nonceBefore;
    if (first.seq === this.nextSeq && !isNewWriter) return this.take();
    this.behind = true;
    return undefined;
  }

  private take(): LoggedEvent | undefined {
    const event = this.waiting.shift();
    if (event !== undefined) this.bytes -= bytesOf(event);
    return event;
  }

  private forget(): void {
    this.waiting.length = 0;
    this.bytes = 0;
  }

  /** An event or hint that arrives during a read of the log repeats it. */
  private async readLog(): Promise<void> {
    this.behind = false;
    const page = await this.log.page(this.taskId, this.nextSeq);
    if (page === undefined) {
      this.forget();
      return;
    }
    const { events, latest, nonceBefore } = page;
    const isOther = this.nonceBefore !== '' && nonceBefore !== '' && nonceBefore !== this.nonceBefore;
    if (isOther || latest.seq < this.nextSeq - 1) throw new EventsTrimmed();
    const [first] = events;
    if (first !== undefined && first.seq > this.nextSeq) throw new EventsTrimmed();
    const last = events.at(-1);
    if (last !== undefined && last.seq < latest.seq) this.behind = true;
    if (first === undefined) this.forget();
    this.page = [...events];
  }
}

function bytesOf({ event }: LoggedEvent): number {
  return Buffer.byteLength(event.text);
}
