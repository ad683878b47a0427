import { Injectable, Optional } from '@nestjs/common';
import { LocalRuns, type RunSlot } from '../../runs/local-runs.js';
import { RunQueue } from '../../runs/queue/run.queue.js';
import type { ResumeOutcome } from '../../tasks/store/resume-outcome.js';
import type { CreateOutcome } from '../../tasks/store/task.store.js';

/** Starts the run of an accepted message: in this process if it has a free slot, otherwise it wakes another one. */
@Injectable()
export class RunStarter {
  constructor(
    private readonly queue: RunQueue,
    @Optional() private readonly local?: LocalRuns,
  ) {}

  /** A slot for a run of the skill, taken before its task is stored; undefined when none is free. */
  takeSlot(skillId: string): RunSlot | undefined {
    return this.local?.takeSlot(skillId);
  }

  /** Starts the run of a new task, if it has one; releases the slot if the run was not claimed. */
  start(outcome: CreateOutcome, slot: RunSlot | undefined): void {
    if (outcome.kind === 'created' && outcome.run !== undefined && slot !== undefined) {
      slot.run(outcome.run);
      return;
    }
    slot?.release();
    if (outcome.kind === 'created' && outcome.fence > 0) this.queue.wake();
  }

  /** Wakes workers for the runs that a message put into the fair queues. */
  wakeFor(outcome: ResumeOutcome): void {
    const one = outcome.kind === 'resumed' || outcome.kind === 'woken' ? 1 : 0;
    this.queue.wake(outcome.kind === 'answered' ? outcome.runs : one);
  }
}
