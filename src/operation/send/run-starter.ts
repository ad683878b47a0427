import { Injectable, Optional } from '@nestjs/common';
import { LocalRuns, type RunSlot } from '../../run/local-runs.js';
import { RunQueue } from '../../run/queue/run.queue.js';
import type { CreateOutcome } from '../../task/task.store.js';

/** Sees to it that the run of an accepted message begins: in this process where it has a slot, else in one that is woken. */
@Injectable()
export class RunStarter {
  constructor(
    private readonly queue: RunQueue,
    @Optional() private readonly local?: LocalRuns,
  ) {}

  /** A slot for a run of the skill, to be taken before its task is stored; undefined where there is none. */
  takeSlot(skillId: string): RunSlot | undefined {
    return this.local?.takeSlot(skillId);
  }

  /** Begins the run that a new task wants, if any; the slot is given back where it was not for this task. */
  start(outcome: CreateOutcome, slot: RunSlot | undefined): void {
    if (outcome.kind === 'created' && outcome.run !== undefined && slot !== undefined) {
      slot.run(outcome.run);
      return;
    }
    slot?.release();
    if (outcome.kind === 'created' && outcome.fence > 0) this.wake();
  }

  /** A run was put into its fair queue: for this process where it has a slot, else for one that is woken. */
  wake(): void {
    if (this.local?.serveHere() !== true) this.queue.wake();
  }
}
