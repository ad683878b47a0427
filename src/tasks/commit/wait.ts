import type { OpenQuestion } from '@parley/protocol/extension/questions.js';
import type { TaskWrite } from './commit-plan.js';
import type { JournalEntry } from '../record/journal-entries.js';

/** The writes of a run besides its events. */
export interface RunNotes {
  /** New entries of the journal. */
  readonly entries: readonly JournalEntry[];
  /** How many of them, the first ones, are stored with the end of the turn too: results of steps. Default none. */
  readonly steps?: number;
  /** Indexes of late messages read by the turn: they begin no further turn. */
  readonly read: readonly number[];
}

export const NO_NOTES: RunNotes = { entries: [], read: [] };

/** The wait for which a run parks its task. */
export interface Wait {
  /** End of the wait, ms by Redis' clock. */
  readonly until: number;
  /** Signals that end it earlier, '*' for any message; none if only time ends it. */
  readonly signals: readonly string[];
  /** Number of late messages known to the run. */
  readonly known: number;
  /** For a wait for children: number of the task's settled fan-outs known to the run. */
  readonly children?: { readonly settled: number };
  /** For a wait that hints end: number of the task's hints known to the run. */
  readonly hints?: number;
  /** The questions, for a wait for answers. */
  readonly asks?: Asks;
}

/** The questions that a parked task waits for. */
export interface Asks {
  readonly open: readonly OpenQuestion[];
  /** Number of its answered questions known to the run. */
  readonly answered: number;
  /** The task's new status with the questions; absent if it shows them already, or the root of the tree will. */
  readonly status?: TaskWrite;
}

/** Signal of a parked task: the end of a child. */
export const CHILD = '&';
/** Signal of a parked task: a hint that the mirrored task may have changed. No message can have it as its signal. */
export const HINT = '!';

/** The outcome of a run that was to park its task. */
export type ParkOutcome =
  /** Nothing holds the task until its wait ends. */
  | 'parked'
  /** Awaited messages or ends of children have arrived that the run does not know: nothing was written. */
  | 'again'
  /** As for a commit: nothing was written. */
  | 'cancel'
  | 'too-large'
  | 'lost';
