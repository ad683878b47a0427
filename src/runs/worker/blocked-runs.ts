import { Injectable } from '@nestjs/common';
import { Blocks } from '../../blocks/blocks.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import { type ActiveRun, ActiveRuns } from '../keeper/active-runs.js';
import type { TurnResult } from '../turn/skill-turn.js';

/** Ends or holds the runs of callers that the operator has blocked. */
@Injectable()
export class BlockedRuns {
  constructor(
    readonly active: ActiveRuns,
    private readonly blocks: Blocks,
  ) {}

  /** Adds a run to the active ones, until the returned function is called; it is canceled when its caller is blocked. */
  add(run: ClaimedRun, active: Omit<ActiveRun, 'hold'>): (ending: string) => void {
    const leave = this.active.add({ ...active, hold: run });
    const unwatch = this.blocks.whenBlocked(run, ({ tasks }) => {
      if (tasks === 'cancel' && run.ending === undefined) active.stop('canceled');
    });
    return (ending) => {
      unwatch();
      leave(ending);
    };
  }

  /**
   * The result of a run whose caller is blocked: its task waits, is canceled, or is rejected where none of its runs has
   * begun. Undefined for the runs of others.
   */
  refused(run: ClaimedRun): TurnResult | undefined {
    const block = this.blocks.of(run);
    if (block === undefined) return undefined;
    if (block.tasks === 'hold') return { kind: 'stopped', reason: 'held' };
    const state = run.isWorking || run.turn > 1 ? 'TASK_STATE_CANCELED' : 'TASK_STATE_REJECTED';
    return { kind: 'ends', state, said: { text: 'The caller of this task may not use this service.' } };
  }
}
