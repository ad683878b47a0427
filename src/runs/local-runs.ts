import type { ClaimedRun } from '../tasks/commit/run.store.js';

/** A slot for one run in this process, acquired before the run is claimed. */
export interface RunSlot {
  /** The channel on which this process receives cancels. */
  readonly channel: string;
  /** Executes the claimed run, and releases the slot at its end. */
  run(run: ClaimedRun): void;
  /** Releases the slot: nothing was claimed, and the run waits in its fair queue. */
  release(): void;
}

/** Starts runs directly in the process that creates their tasks, without a queue. Absent without a worker. */
export abstract class LocalRuns {
  /** A slot of the process and of the skill; undefined if none is free, or during shutdown. */
  abstract takeSlot(skillId: string): RunSlot | undefined;

  /** Whether a slot is free. */
  abstract readonly hasRoom: boolean;

  /** Calls back whenever no slot is left, until the returned function is called. */
  abstract whenFull(giveUp: () => void): () => void;
}
