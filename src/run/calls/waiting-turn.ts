import type { ParkOutcome, Wait } from '../../task/commit/run.store.js';

/** What a turn does about its waits. */
export interface WaitingTurn {
  /** Commits what there is and parks the task. */
  readonly park: (wait: Wait) => Promise<ParkOutcome>;
  /** Commits what there is: the run goes on in this process. */
  readonly flush: () => void;
  /** A wait has ended: the task is worked on. */
  readonly goesOn: () => void;
  /** Writes progress of a child, JSON of an event, into the log. */
  readonly note: (event: string) => void;
  readonly ended: (how: Exclude<ParkOutcome, 'again' | 'too-large'>) => void;
  readonly failed: (error: unknown) => void;
}
