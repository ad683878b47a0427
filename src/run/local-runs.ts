import type { ClaimedRun } from '../task/run.store.js';

/** A place for one run in this process, taken before the run is claimed. */
export interface RunPlace {
  /** Where this process hears of cancels. */
  readonly channel: string;
  /** Runs what was claimed, and gives the place back at its end. */
  run(run: ClaimedRun): void;
  /** Gives the place back: nothing was claimed, and the run waits in its fair queue. */
  release(): void;
}

/** Runs that begin in the process that took their message, without a queue between. Absent where there is no worker. */
export abstract class LocalRuns {
  /** A place of the process and of the skill; undefined where there is none, or the process leaves. */
  abstract place(skillId: string): RunPlace | undefined;

  /** Looks for runs that wait, in the background; false where this process has no place for any. */
  abstract serveHere(): boolean;
}
