import type { TaskState } from '@parley/protocol/model/task-state.js';

/** The current task as its run knows it: only this run changes these members. */
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
  /** The index in the history behind the last message that this run was given. */
  readonly upto: number;
  /** Bytes that runs have stored in the task. */
  readonly bytes: number;
  /** The number of the event before the first yield of the turn, those of the service not counted. */
  readonly base: number;
  /** Whether nothing but the first message is stored, so that one commit may end the task. */
  readonly isFresh: boolean;
  /** The run has ended its turn: nothing more can be written. */
  readonly isOver: boolean;
}

/** The least time between two statuses of a child in the log of its parent. */
const NOTES_EVERY_MS = 250;
/** Bytes of artifacts that one run of a child gives to the log of its parent. */
const MOST_SHOWN_BYTES = 1_048_576;

/** The progress of a run, changed by each commit. The previous progress is kept for a resent commit. */
export class RunLog {
  private before: RunProgress | undefined;

  private last: Promise<unknown> | undefined;
  /** Whether finished work of the task is to be taken back if it fails. */
  hasUndo = false;
  /** When the parent of a child has last been shown its progress, ms. */
  private notedAt = -Infinity;
  /** Progress of children that the run has read from where it waits, and not yet stored. */
  notesRead = 0;
  /** How many more bytes of artifacts the log of the parent takes of this run; undefined once a piece was too much. */
  private shownLeft: number | undefined = MOST_SHOWN_BYTES;

  constructor(
    private now: RunProgress,
    /** Whether the end of the task concerns others: it has made children, or asked questions. */
    public hasChildren = false,
    /** Whether the journal of the turn is stored, so that its yields are counted. */
    public isKept = false,
  ) {}

  /** Does one write after the other: each has to know the word that the one before has left. */
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

  /** The progress with this number of the latest event; undefined when the run knows of none. */
  at(seq: number): RunProgress | undefined {
    if (this.now.seq === seq) return this.now;
    return this.before?.seq === seq ? this.before : undefined;
  }

  /** Whether progress may be shown to the parent now: it was not, in the last moments. */
  mayNote(now: number): boolean {
    if (now - this.notedAt < NOTES_EVERY_MS) return false;
    this.notedAt = now;
    return true;
  }

  /** Whether a piece of an artifact may be shown to the parent; `last` where it is the first that may not be. */
  mayShow(bytes: number): boolean | 'last' {
    if (this.shownLeft === undefined) return false;
    this.shownLeft = bytes > this.shownLeft ? undefined : this.shownLeft - bytes;
    return this.shownLeft === undefined ? 'last' : true;
  }

  /** The progress that is current. */
  get current(): RunProgress {
    return this.now;
  }

  moveTo(next: RunProgress): void {
    if (next.seq <= this.now.seq) return;
    this.before = this.now;
    this.now = next;
  }

  /** Lost runs are counted from here. */
  countFrom(attempt: number): void {
    this.now = { ...this.now, attempt };
    if (this.before !== undefined) this.before = { ...this.before, attempt };
  }
}
