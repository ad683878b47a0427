import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { HINT } from '../../tasks/commit/wait.js';

interface HintSources {
  readonly run: ClaimedRun;
  readonly replay: Replay;
  readonly notebook: Pick<RunStore['notebook'], 'hints'>;
}

/** The hints that a task received, for the waits that end by one. */
export class TurnHints {
  private count: number;
  /** Hints consumed by waits of the turn. */
  private taken = 0;

  constructor(private readonly sources: HintSources) {
    this.count = sources.run.hints;
  }

  /** Hints known to the run. */
  get known(): number {
    return this.count;
  }

  get isWaiting(): boolean {
    return this.open.length > 0;
  }

  async learn(): Promise<void> {
    if (this.isWaiting) this.count = await this.sources.notebook.hints(this.sources.run);
  }

  /**
   * Ends the waits for hints with a later hint than the one that ended the wait before. Returns whether there was one.
   */
  match(): boolean {
    const { open } = this;
    if (open.length === 0 || this.count <= this.taken) return false;
    this.taken = this.count;
    for (const { number } of open) this.sources.replay.give(number, { json: String(this.count), value: true });
    return true;
  }

  /** Whether by the journal a hint ended the wait; otherwise it timed out. */
  recall(json: string | undefined): boolean {
    if (json === undefined) return false;
    this.taken = Number(json);
    return true;
  }

  private get open() {
    return this.sources.replay.openWaits.filter(({ signal }) => signal === HINT);
  }
}
