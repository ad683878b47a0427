import { bytesAsJson } from '@parley/protocol/model/json.js';
import { NO_NOTES } from '../../task/commit/wait.js';
import {
  type ClaimedRun,
  type CommitOutcome,
  JournalFull,
  type ParkOutcome,
  type RunNotes,
  type RunStore,
  type TaskWrite,
  type Wait,
} from '../../task/commit/run.store.js';

/** A skill that yields faster than Redis commits waits when this many of its events, or bytes of them, are on their way. */
const MOST_PENDING = 64;
const MOST_PENDING_BYTES = 1_048_576;

interface Pending {
  readonly write: TaskWrite;
  readonly bytes: number;
}

const NOTHING = { notes: NO_NOTES, saved: (): void => undefined };
/** A flush that waits for the task to be parked with it is put off so often. */
const MOST_PUT_OFF = 8;

/** What a run stores beside its events. */
export interface NotesOfRun {
  /** Whether the run is about to be parked: then its events are committed with that. */
  readonly mayPark: boolean;
  unsaved(): { readonly notes: RunNotes; readonly saved: () => void };
  unsavedForPark(): { readonly notes: RunNotes; readonly saved: () => void };
}

/**
 * Commits what a run yields, in order. Events that are ready together share one commit: each is still one event of the
 * log, and a skill that yields them at once pays one round trip. One commit takes as many as may be on their way, or one
 * larger event.
 */
export class RunWriter {
  private pending: Pending[] = [];
  private bytes = 0;
  private scheduled: NodeJS.Immediate | undefined;
  private flushing: Promise<void> | undefined;
  private failure: Error | undefined;
  private last: CommitOutcome | undefined;
  private isEnding = false;

  constructor(
    private readonly store: RunStore,
    private readonly hold: ClaimedRun,
    private seq: number,
    /** Called when nothing can be written any more. */
    private readonly onEnding: (outcome: CommitOutcome) => void,
    private readonly notes?: NotesOfRun,
  ) {}

  /** The outcome after which nothing can be written any more, once there is one. */
  get ending(): CommitOutcome | undefined {
    return this.last?.kind === 'committed' ? undefined : this.last;
  }

  /**
   * Accepts an event. Returns nothing if the buffer has room for the next, else a promise that resolves when it has
   * (backpressure). Throws the error of a failed commit.
   */
  write(write: TaskWrite): Promise<void> | undefined {
    this.throwFailure();
    const bytes = bytesAsJson(write);
    this.pending.push({ write, bytes });
    this.bytes += bytes;
    // A skill that yields without waiting for anything has yielded all it can before the next turn of the event loop.
    if (hasEvent([write])) this.schedule();
    return this.pending.length < MOST_PENDING && this.bytes < MOST_PENDING_BYTES ? undefined : this.room();
  }

  /** Commits what there is, now, and resolves with the outcome of the last commit. */
  async settled(): Promise<CommitOutcome | undefined> {
    if (this.scheduled !== undefined) this.flushNow();
    await this.flushing;
    this.throwFailure();
    return this.last;
  }

  /** Commits what there is, soon. */
  schedule(): void {
    if (this.flushing === undefined && this.mayFlush) this.scheduled ??= setImmediate(this.flushSoon, 0);
  }

  /** What is published is stored with an event, or with the park of the task. */
  private get mayFlush(): boolean {
    return hasEvent(this.pending.map(({ write }) => write));
  }

  /** Commits what there is and parks the task, in one step. */
  async park(wait: Wait): Promise<ParkOutcome> {
    clearImmediate(this.scheduled);
    this.scheduled = undefined;
    await this.flushing;
    this.throwFailure();
    const ending = this.ending?.kind;
    if (ending !== undefined) return ending === 'cancel' || ending === 'too-large' ? ending : 'lost';
    const writes = this.pending.map(({ write }) => write);
    const { notes, saved } = this.notes?.unsavedForPark() ?? NOTHING;
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
    const isPutOff = putOff < MOST_PUT_OFF && this.notes?.mayPark === true;
    if (isPutOff) this.scheduled = setImmediate(this.flushSoon, putOff + 1);
    else this.flushNow();
  };

  /**
   * From here on the run only writes how it ends. What was too large for the task or its journal is left out, and all that was to
   * follow it; so is the rest of the journal, since no run repeats the turn any more.
   */
  prepareEnd(): void {
    this.isEnding = true;
    if (this.failure instanceof JournalFull) this.failure = undefined;
    else if (this.last?.kind !== 'too-large') return;
    this.pending = [];
    this.bytes = 0;
    this.last = undefined;
  }

  private unsaved(): typeof NOTHING {
    const { notes, saved } = this.notes?.unsaved() ?? NOTHING;
    return this.isEnding ? { notes: { ...notes, entries: [] }, saved } : { notes, saved };
  }

  private async room(): Promise<void> {
    await this.settled();
  }

  private readonly flushNow = (): void => {
    clearImmediate(this.scheduled);
    this.scheduled = undefined;
    this.flushing = this.flush();
  };

  private async flush(): Promise<void> {
    try {
      while (this.mayFlush && this.ending === undefined) {
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
    let left = MOST_PENDING_BYTES;
    for (const { write, bytes } of this.pending) {
      left -= bytes;
      if (hasEvent(batch) && (batch.length >= MOST_PENDING || left < 0)) break;
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
