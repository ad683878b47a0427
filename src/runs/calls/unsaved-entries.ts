import type { Journal } from '@parley/sdk/skill/replay/journal.js';
import { callEntry, type JournalEntry, resultEntry } from '../../tasks/record/journal-entries.js';

/** Unsaved entries, and a function that marks them as saved. */
export interface Unsaved {
  readonly entries: readonly JournalEntry[];
  readonly saved: () => void;
}

/** The unsaved entries of a turn's journal. */
export function unsavedEntries(turn: number, journal: Journal): Unsaved {
  const { entries, saved } = journal.unsaved();
  const { calls, results } = entries;
  return {
    entries: [
      ...calls.texts.map((text, at) => callEntry(turn, calls.first + at, text)),
      ...results.texts.map((text, at) => resultEntry(turn, results.first + at, text)),
    ],
    saved,
  };
}
