import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { Reducers } from '@parley/sdk/skill/shared/reducer.js';
import type { SharedTexts } from '@parley/sdk/skill/shared/numbered-writes.js';
import type { SharedKeeper } from '@parley/sdk/skill/shared/tree-values.js';
import type { RunNotebook } from '../../tasks/commit/run-notebook.js';
import { RunLost } from '../../tasks/record/run-lost.js';
import type { ClaimedRun, RunNotes } from '../../tasks/commit/run.store.js';
import { sharedTexts, type SharedWrite } from '../../tasks/values/shared-write.js';

/** The turn that shares values. */
export interface SharingTurn {
  readonly run: ClaimedRun;
  readonly replay: Replay;
  readonly reducers: Reducers;
  readonly notebook: RunNotebook;
  /** The notes for the next write. */
  readonly unsaved: () => { readonly notes: RunNotes; readonly saved: () => void };
}

/**
 * The shared values of a tree in Redis: each task stores the writes of its own calls. A task sees its own values, then
 * those that its parent had written before the call, and so on up to the root.
 */
export class TreeKeeper implements SharedKeeper {
  constructor(private readonly turn: SharingTurn) {}

  get replay(): Replay {
    return this.turn.replay;
  }

  get reducers(): Reducers {
    return this.turn.reducers;
  }

  async before(): Promise<SharedTexts> {
    const { run, notebook } = this.turn;
    const own = await notebook.values.writtenBy(run.taskId);
    await this.dropLost(own);
    const earlier = own.filter(({ turn }) => turn < run.turn);
    return new Map([...(await notebook.values.inherited(run.traits.tree)), ...sharedTexts(earlier)]);
  }

  async write(number: number, texts: SharedTexts): Promise<void> {
    const { run, unsaved } = this.turn;
    const { notes, saved } = unsaved();
    await this.store({ turn: run.turn, call: number, texts }, notes);
    saved();
  }

  async writtenBy(taskId: string): Promise<SharedTexts> {
    return sharedTexts(await this.turn.notebook.values.writtenBy(taskId));
  }

  /** A restarted turn drops the writes of its lost run. */
  private async dropLost(own: readonly SharedWrite[]): Promise<void> {
    const { run } = this.turn;
    if (run.repeats !== undefined) return;
    const lost = own.filter(({ turn, texts }) => turn === run.turn && texts.size > 0);
    for (const write of lost) await this.store({ ...write, texts: new Map() }, { entries: [] });
  }

  private async store(write: Omit<SharedWrite, 'seq'>, { entries }: Pick<RunNotes, 'entries'>): Promise<void> {
    const { run, notebook } = this.turn;
    if (!(await notebook.writeShared(run, write, entries))) throw new RunLost();
  }
}
