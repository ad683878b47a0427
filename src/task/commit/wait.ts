import type { OpenQuestion } from '@parley/protocol/extension/questions.js';
import type { TaskWrite } from './commit-plan.js';
import type { JournalEntry } from '../record/journal-entries.js';

/** What a run stores beside its events. */
export interface RunNotes {
  /** New entries of the journal. */
  readonly entries: readonly JournalEntry[];
  /** Indexes of late messages that the turn has read: they begin no further turn. */
  readonly read: readonly number[];
}

export const NO_NOTES: RunNotes = { entries: [], read: [] };

/** The wait for which a run parks its task. */
export interface Wait {
  /** When it ends, ms by Redis' clock. */
  readonly until: number;
  /** Signals that end it before that, '*' for any message; none when only its time does. */
  readonly signals: readonly string[];
  /** Late messages that the run knows. */
  readonly known: number;
  /** Where it waits for children: how many fan-outs of the task the run knows to be settled. */
  readonly children?: { readonly settled: number };
  /** Where hints end it: how many of the task's the run knows. */
  readonly hints?: number;
  /** Where it waits for answers. */
  readonly asks?: Asks;
}

/** The questions that a parked task waits for. */
export interface Asks {
  readonly open: readonly OpenQuestion[];
  /** How many of its questions the run knows to be answered. */
  readonly answered: number;
  /** What the status of the task says of them from then on; absent where it says so already, or the root's tree will. */
  readonly status?: TaskWrite;
}

/** Among the signals of a parked task: the end of a child. */
export const CHILD = '&';
/** The same: a hint that what the task mirrors may have changed. No message can give it as its signal. */
export const HINT = '!';

/** What became of a run that was to park its task. */
export type ParkOutcome =
  /** Nothing holds the task until its wait ends. */
  | 'parked'
  /** Messages have come or children have ended that the run does not know and waits for: nothing was written. */
  | 'again'
  /** As of a commit: nothing was written. */
  | 'cancel'
  | 'too-large'
  | 'lost';
