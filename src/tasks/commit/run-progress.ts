import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The current task as known to its run: only this run changes these members. */
export interface RunProgress {
  readonly state: TaskState;
  /** The number of the latest event, and its nonce. */
  readonly seq: number;
  readonly last: string;
  readonly turn: number;
  readonly attempt: number;
  /** The time of the status, 13 digits. */
  readonly ms: string;
  /** JSON of the status message, or ''. */
  readonly message: string;
  /** Names of the artifacts that are stored as lists, in the order of their numbers. */
  readonly artifacts: readonly string[];
  /** The index in the history after the last message passed to this run. */
  readonly upto: number;
  /** Bytes that runs have stored in the task. */
  readonly bytes: number;
  /** The number of the event before the turn's first yield, without those of the service. */
  readonly base: number;
  /** Whether only the first message is stored, so that one commit may end the task. */
  readonly isFresh: boolean;
  /** The run has ended its turn: no more can be written. */
  readonly hasEnded: boolean;
}

/** Minimum interval of a child's statuses in the log of its parent. */
const NOTES_EVERY_MS = 250;
/** Bytes of artifacts that one run of a child may write to the log of its parent. */
const MAX_SHOWN_BYTES = 1_048_576;

/** The progress of a run, changed by each commit. The previous progress is kept for a resent commit. */
export class RunLog {
  private before: RunProgress | undefined;

  private last: Promise<unknown> | undefined;
  /** Whether finished work of the task must be undone if it fails. */
  hasUndo = false;
  /** Time of the last progress shown to the parent, ms. */
  private notedAt = -Infinity;
  /** Number of waiting progress notes of children read by the run and not yet stored. */
  notesRead = 0;
  /** Remaining bytes of artifacts for the log of the parent; undefined after a too large chunk. */
  private shownLeft: number | undefined = MAX_SHOWN_BYTES;

  constructor(
    private now: RunProgress,
    /** Whether the end of the task affects others: it has created children, or asked questions. */
    public hasChildren = false,
    /** Whether the journal of the turn is stored, so that its yields are counted. */
    public isKept = false,
  ) {}

  /** Serialises writes: each needs the state word left by the one before. */
  async inTurn<T>(write: () => Promise<T>): Promise<T> {
    while (this.last !== undefined) await this.last.catch(() => undefined);
    const writing = write();
    this.last = writing;
    try {
      return await writing;
    } finally {
      if (this.last === writing) this.last = undefined;
    }
  }

  /** The progress with this number of the latest event; undefined when unknown. */
  at(seq: number): RunProgress | undefined {
    if (this.now.seq === seq) return this.now;
    return this.before?.seq === seq ? this.before : undefined;
  }

  /** Whether progress may be shown to the parent now (throttled). */
  mayNote(now: number): boolean {
    if (now - this.notedAt < NOTES_EVERY_MS) return false;
    this.notedAt = now;
    return true;
  }

  /** Whether a chunk of an artifact may be shown to the parent; `last` for the first refused one. */
  mayShow(bytes: number): boolean | 'last' {
    if (this.shownLeft === undefined) return false;
    this.shownLeft = bytes > this.shownLeft ? undefined : this.shownLeft - bytes;
    return this.shownLeft === undefined ? 'last' : true;
  }

  /** The current progress. */
  get current(): RunProgress {
    return this.now;
  }

  moveTo(next: RunProgress): void {
    if (next.seq <= this.now.seq) return;
    this.before = this.now;
    this.now = next;
  }

  /** Lost runs are counted from this attempt. */
  countFrom(attempt: number): void {
    this.now = { ...this.now, attempt };
    if (this.before !== undefined) this.before = { ...this.before, attempt };
  }
}
