import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import type { LocalRuns } from '../local-runs.js';

/**
 * A run that keeps its slot for children that began in this process and may end within milliseconds: parking and waking
 * costs more. Only while other slots are free: nothing waits in a slot that others need (I11, decision 0087).
 */
export class AwakeParent {
  private unwatch: (() => void) | undefined;

  /** @param giveUp called when the last slot was taken */
  constructor(
    private readonly run: ClaimedRun,
    private readonly local: LocalRuns,
    private readonly giveUp: () => void,
  ) {}

  /** How long the run stays, ms; 0: it is parked. @param mayEndUntil ms since 1970 */
  stay(waits: readonly OpenWait[], mayEndUntil: number): number {
    const left = mayEndUntil - Date.now();
    const isForChildren = waits.every((wait) => wait.isForChildren);
    if (left <= 0 || !isForChildren || this.run.traits.isLimited || !this.local.hasRoom) return 0;
    this.leave();
    this.unwatch = this.local.whenFull(this.giveUp);
    return left;
  }

  leave(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }
}
