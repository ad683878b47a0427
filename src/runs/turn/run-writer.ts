import { bytesAsJson } from '@parley/protocol/model/json.js';
import { NO_NOTES } from '../../tasks/commit/wait.js';
import type { TurnNotes, Unsaved } from '../calls/turn-notes.js';
import {
  type ClaimedRun,
  type CommitOutcome,
  JournalFull,
  type ParkOutcome,
  type RunStore,
  type TaskWrite,
  type Wait,
} from '../../tasks/commit/run.store.js';

/** Backpressure: a skill waits when this many of its events, or bytes of them, are uncommitted. */
const MAX_PENDING = 64;
const MAX_PENDING_BYTES = 1_048_576;

interface Pending {
  readonly write: TaskWrite;
  readonly bytes: number;
}

const NOTHING: Unsaved = { notes: NO_NOTES, saved: () => undefined };
/** Times that a flush is postponed in favour of parking the task. */
const MAX_PUT_OFF = 8;
/** Progress of children waits this long for the run's own events. */
const NOTES_MS = 50;

/** The waits of a run, and what it stores besides its events. */
export interface WaitsOfRun {
  /** Whether the run is about to be parked, which then commits its events. */
  readonly mayPark: boolean;
  readonly notes: Pick<TurnNotes, 'unsaved' | 'unsavedForPark'>;
}

/**
 * Commits the events of a run, in order. Events ready at the same time share one commit: each is still one event of the
 * log, and the skill pays one round trip for them. A commit takes as many as may be uncommitted, or one larger event.
 */
export class RunWriter {
  private pending: Pending[] = [];
  private bytes = 0;
  private scheduled: NodeJS.Immediate | undefined;
  private late: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;
  private failure: Error | undefined;
  private last: CommitOutcome | undefined;
  private isEnding = false;

  constructor(
    private readonly store: RunStore,
    private readonly hold: ClaimedRun,
    private seq: number,
    /** Called when writing has become impossible. */
    private readonly onEnding: (outcome: CommitOutcome) => void,
    private readonly waits?: WaitsOfRun,
  ) {}

  /** The outcome after which writing is impossible, once there is one. */
  get ending(): CommitOutcome | undefined {
    return this.last?.kind === 'committed' ? undefined : this.last;
  }

  /**
   * Accepts an event. Returns undefined if the buffer has room for the next, else a promise that resolves when it has
   * (backpressure). Throws the error of a failed commit.
   */
  write(write: TaskWrite): Promise<void> | undefined {
    this.throwFailure();
    const bytes = bytesAsJson(write);
    this.pending.push({ write, bytes });
    this.bytes += bytes;
    // A skill that yields without awaiting anything has yielded everything before the next turn of the event loop.
    if (write.kind === 'note') this.late ??= setTimeout(this.flushLate, NOTES_MS);
    else if (hasEvent([write])) this.schedule();
    return this.pending.length < MAX_PENDING && this.bytes < MAX_PENDING_BYTES ? undefined : this.room();
  }

  /** Commits pending events now, and resolves with the outcome of the last commit. */
  async settled(): Promise<CommitOutcome | undefined> {
    if (this.scheduled !== undefined || this.late !== undefined) this.flushNow();
    await this.flushing;
    this.throwFailure();
    return this.last;
  }

  /** Schedules a commit of pending events. */
  schedule(): void {
    if (this.flushing === undefined && this.mayFlush) this.scheduled ??= setImmediate(this.flushSoon, 0);
  }

  /** Published events are stored with an event of the task or with its parking. */
  private get mayFlush(): boolean {
    return hasEvent(this.pending.map(({ write }) => write));
  }

  /** Commits pending events and parks the task, in one step. */
  async park(wait: Wait): Promise<ParkOutcome> {
    this.unschedule();
    await this.flushing;
    this.throwFailure();
    const ending = this.ending?.kind;
    if (ending !== undefined) return ending === 'cancel' || ending === 'too-large' ? ending : 'lost';
    const writes = this.pending.map(({ write }) => write);
    const { notes, saved } = this.waits?.notes.unsavedForPark() ?? NOTHING;
    const outcome = await this.store.park(this.hold, this.seq, { writes, wait, notes });
    if (outcome === 'parked') saved();
    if (outcome === 'too-large') {
      this.last = { kind: outcome };
      this.onEnding(this.last);
    }
    if (outcome === 'again') this.schedule();
    else this.pending = [];
    return outcome;
  }

  private readonly flushSoon = (putOff: number): void => {
    const isPutOff = putOff < MAX_PUT_OFF && this.waits?.mayPark === true;
    if (isPutOff) this.scheduled = setImmediate(this.flushSoon, putOff + 1);
    else this.flushNow();
  };

  /**
   * From now on the run only writes its end. Drops events too large for the task or its journal and all later ones, and
   * the rest of the journal, since no run will repeat the turn.
   */
  prepareEnd(): void {
    this.isEnding = true;
    if (this.failure instanceof JournalFull) this.failure = undefined;
    else if (this.last?.kind !== 'too-large') return;
    this.pending = [];
    this.bytes = 0;
    this.last = undefined;
  }

  private unsaved(): Unsaved {
    const { notes, saved } = this.waits?.notes.unsaved() ?? NOTHING;
    return this.isEnding ? { notes: { ...notes, entries: [], steps: 0 }, saved } : { notes, saved };
  }

  private async room(): Promise<void> {
    await this.settled();
  }

  private readonly flushLate = (): void => {
    this.late = undefined;
    this.schedule();
  };

  private readonly flushNow = (): void => {
    this.unschedule();
    this.flushing ??= this.flush();
  };

  private unschedule(): void {
    clearImmediate(this.scheduled);
    clearTimeout(this.late);
    [this.scheduled, this.late] = [undefined, undefined];
  }

  private async flush(): Promise<void> {
    try {
      while (this.mayFlush && this.ending === undefined && this.failure === undefined) {
        const { notes, saved } = this.unsaved();
        this.last = await this.store.commit(this.hold, this.seq, this.takeBatch(), notes);
        if (this.last.kind === 'committed') this.seq = this.last.seq;
        else this.onEnding(this.last);
        saved();
      }
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.flushing = undefined;
    }
  }

  private takeBatch(): readonly TaskWrite[] {
    const batch: TaskWrite[] = [];
    let left = MAX_PENDING_BYTES;
    for (const { write, bytes } of this.pending) {
      left -= bytes;
      if (hasEvent(batch) && (batch.length >= MAX_PENDING || left < 0)) break;
      batch.push(write);
    }
    for (const { bytes } of this.pending.splice(0, batch.length)) this.bytes -= bytes;
    return batch;
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

function hasEvent(writes: readonly TaskWrite[]): boolean {
  return writes.some(({ kind }) => kind !== 'publication');
}
