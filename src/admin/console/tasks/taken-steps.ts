import { type JournalEntry, stepField, stepOf } from '../../../tasks/record/journal-entries.js';

/** A step by its turn and its name, which is unique there. */
export interface StepName {
  readonly turn: number;
  readonly name: string;
}

/** The steps that a task restarted at a step takes over, and those that it repeats. */
export interface TakenSteps {
  /** For the journal of the new task: results of the steps before that one. */
  readonly entries: readonly JournalEntry[];
  readonly taken: readonly StepName[];
  readonly live: readonly StepName[];
}

/** The stored members of a step besides its turn and name. */
interface StoredStep {
  /** Start time, ms since 1970; absent for one of an earlier version. */
  readonly at?: number;
  readonly value?: unknown;
}

/**
 * Divides the steps of a task at one of them: those that began before it are taken over. Their entries name the
 * original task, and carry the time of the new one. @returns undefined if the task has no such step
 */
export function stepsBefore(
  journal: readonly JournalEntry[],
  from: StepName,
  { of, now }: { readonly of: string; readonly now: number },
): TakenSteps | undefined {
  const steps = journal.flatMap(([field, text]) => {
    const step = stepOf(field);
    return step === undefined ? [] : [{ ...step, stored: JSON.parse(text) as StoredStep }];
  });
  steps.sort((one, other) => one.turn - other.turn || (one.stored.at ?? 0) - (other.stored.at ?? 0));
  const first = steps.findIndex(({ turn, name }) => turn === from.turn && name === from.name);
  if (first === -1) return undefined;
  const named = steps.map(({ turn, name }) => ({ turn, name }));
  const entries = steps.slice(0, first).map(({ turn, name, stored: { value } }): JournalEntry => {
    return [stepField(turn, name), JSON.stringify({ at: now, ms: 0, seq: 1, of, value })];
  });
  return { entries, taken: named.slice(0, first), live: named.slice(first) };
}
