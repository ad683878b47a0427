import { Logger } from '@nestjs/common';
import type { WaitingRun } from '../../tasks/store/fair-queue.js';
import { type ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { RunSlots } from './run-slots.js';

/** After a suspect no other run begins in the process for this long, and then no suspect for as long. */
const ALONE_MS = 2_000;
/** A suspect that lives longer than its lost run did is not the culprit; between these bounds. */
const MIN_PROOF_MS = 3_000;
const MAX_PROOF_MS = 10_000;

/**
 * The suspect of this process. A process that dies loses all of its runs, and one of them is the culprit. The last
 * attempt of each begins without another suspect beside it: a loss within the lifetime of its lost run is its own fault
 * (I17, decision 0085).
 */
export class SuspectRun {
  private readonly log = new Logger(SuspectRun.name);
  private taskId: string | undefined;
  private mayBeginAt = 0;

  constructor(
    private readonly slots: RunSlots,
    private readonly store: RunStore,
  ) {}

  /** The next runs that may begin here now: a suspect alone, or runs that are not suspects. */
  choose(next: readonly WaitingRun[]): readonly WaitingRun[] {
    const mayBegin = this.taskId === undefined && Date.now() >= this.mayBeginAt;
    const suspect = mayBegin ? next.find(({ isSuspect }) => isSuspect) : undefined;
    return suspect === undefined ? next.filter(({ isSuspect }) => !isSuspect) : [suspect];
  }

  /**
   * Marks a suspect as claimed: no other run begins for a while.
   * @param onFree other runs may begin again
   * @returns to be called at its end
   */
  begin(run: ClaimedRun, onFree: () => void): () => void {
    const { taskId, suspectMs = 0 } = run;
    const began = Date.now();
    let isAlone = true;
    this.taskId = taskId;
    this.slots.hold(true);
    const free = (): void => {
      if (!isAlone) return;
      isAlone = false;
      this.slots.hold(false);
      this.mayBeginAt = 2 * Date.now() - began;
      onFree();
    };
    const clear = (): void => {
      if (this.taskId === taskId) this.taskId = undefined;
    };
    const prove = (): void => {
      this.store.notebook.noteProven(run).then(clear, (error: unknown) => {
        this.log.debug({ event: 'run.not-proven', taskId, reason: String(error) });
      });
    };
    const proofMs = Math.min(Math.max(suspectMs, MIN_PROOF_MS), MAX_PROOF_MS);
    const timers = [setTimeout(free, ALONE_MS), setTimeout(prove, proofMs)];
    return () => {
      for (const timer of timers) clearTimeout(timer);
      clear();
      free();
    };
  }
}
