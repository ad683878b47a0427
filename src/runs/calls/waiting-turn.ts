import type { ParkOutcome, Wait } from '../../tasks/commit/run.store.js';

/** The actions of a turn on its waits. */
export interface WaitingTurn {
  /** Commits pending events and parks the task. */
  readonly park: (wait: Wait) => Promise<ParkOutcome>;
  /** Commits pending events; the run continues in this process. */
  readonly flush: () => void;
  /** A wait has ended: the task is WORKING again. */
  readonly resumed: () => void;
  /** Appends progress of a child, a JSON event, to the log. */
  readonly note: (event: string) => void;
  readonly ended: (how: Exclude<ParkOutcome, 'again' | 'too-large'>) => void;
  readonly failed: (error: unknown) => void;
}
