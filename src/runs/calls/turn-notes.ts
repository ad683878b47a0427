import type { Journal } from '@parley/sdk/skill/replay/journal.js';
import type { ClaimedRun, RunNotes, RunStore } from '../../tasks/commit/run.store.js';
import { callEntry, headEntry, type JournalEntry, resultEntry, stepField } from '../../tasks/record/journal-entries.js';
import type { WaitingTurn } from './waiting-turn.js';

/** Results that wait for the next write of their run, and how long at most. */
const MAX_WAITING = 64;
const MAX_BYTES = 64 * 1024;
const MAX_MS = 50;

/** Notes for a write, and a function that marks them as saved. */
export interface Unsaved {
  readonly notes: RunNotes;
  readonly saved: () => void;
}

interface NoteSources {
  readonly run: ClaimedRun;
  readonly journal: Journal;
  readonly notebook: Pick<RunStore['notebook'], 'noteEntries'>;
  /** Indexes of the late messages that the turn has read. */
  readonly read: () => readonly number[];
  readonly turn: Pick<WaitingTurn, 'ended' | 'failed'>;
}

/**
 * What a run has to store besides its events: the journal of its turn once that has waited, and results of steps
 * without effects, which are entries of its next write (decision 0088).
 */
export class TurnNotes {
  /** The names of steps that this run has begun. */
  readonly begun = new Set<string>();
  private readonly results = new Map<string, string>();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sources: NoteSources) {}

  /** The result of a step that is not stored yet. */
  waiting(name: string): string | undefined {
    return this.results.get(name);
  }

  /** Keeps the result of a step for the next write. Resolves at once while few wait. */
  async keep(name: string, json: string): Promise<void> {
    this.results.set(name, json);
    this.bytes += json.length;
    if (this.results.size >= MAX_WAITING || this.bytes >= MAX_BYTES) await this.store();
    else this.arm();
  }

  /** The notes for the next write: without the journal until the turn has waited. */
  unsaved(): Unsaved {
    return this.sources.run.log.isKept ? this.unsavedForPark() : this.joined([], () => undefined);
  }

  /** With the complete unsaved part of the journal, for a run to be parked. */
  unsavedForPark(): Unsaved {
    const { run, journal } = this.sources;
    const { turn, metadata, acceptedOutputModes: modes } = run;
    const head = run.log.isKept ? [] : [headEntry(turn, { metadata, modes })];
    const { entries, saved } = journal.unsaved();
    const { calls, results } = entries;
    const of = [
      ...calls.texts.map((text, at) => callEntry(turn, calls.first + at, text)),
      ...results.texts.map((text, at) => resultEntry(turn, results.first + at, text)),
    ];
    return this.joined([...head, ...of], saved);
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private joined(journal: readonly JournalEntry[], saved: () => void): Unsaved {
    const { run, read } = this.sources;
    const some = [...this.results];
    const steps = some.map(([name, json]): JournalEntry => [stepField(run.turn, name), json]);
    return {
      notes: { entries: [...steps, ...journal], steps: steps.length, read: read() },
      saved: () => {
        saved();
        for (const [name, json] of some) if (this.results.delete(name)) this.bytes -= json.length;
        this.close();
        if (this.results.size > 0) this.arm();
      },
    };
  }

  private arm(): void {
    this.timer ??= setTimeout(() => void this.store(), MAX_MS);
  }

  private async store(): Promise<void> {
    const { run, notebook, turn } = this.sources;
    try {
      const { notes, saved } = this.unsaved();
      if (await notebook.noteEntries(run, notes.entries)) saved();
      else turn.ended('lost');
    } catch (error) {
      turn.failed(error);
    }
  }
}
