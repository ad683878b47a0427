import { SkillFailure } from '../skill.js';

/** A call of a skill to its context, as the journal of its turn has it. */
export interface JournalCall {
  /** The call in words. A repeated run that makes another call at the same number is a mismatch. */
  readonly what: string;
  /** When the wait that it began ends at the latest, ms. */
  readonly until?: number;
  /** The answer of a call that is answered at once. */
  readonly value?: unknown;
}

/** The result of a call. Results are numbered in the order in which the skill got them. */
export interface JournalResult {
  /** Number of the call, from 0. */
  readonly call: number;
  /** How many events the skill had been asked for by then. */
  readonly pulls: number;
  /** The answer as JSON; absent for none, and for one that is kept elsewhere. */
  readonly json?: string;
  readonly error?: { readonly name: string; readonly message: string };
}

/** Calls and results of a turn as texts. Both only ever grow. */
export interface JournalTexts {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** New entries of a journal, with the number of the first of each kind, from 1. */
export interface NewEntries {
  readonly calls: { readonly first: number; readonly texts: readonly string[] };
  readonly results: { readonly first: number; readonly texts: readonly string[] };
}

/** Calls that a run remembers before its turn has waited: a turn with more of them cannot wait. */
export const MAX_CALLS = 10_000;

/**
 * Thrown when a repeated run makes another call than the journal has at this number: the skill was changed, or is not
 * deterministic. Make every call depend on the input and on earlier results only.
 */
export class JournalMismatch extends Error {
  override readonly name = 'JournalMismatch';

  /** @param number of the call in its turn, from 1 */
  constructor(
    readonly number: number,
    readonly recorded: string,
    readonly asked: string,
  ) {
    super(
      `The skill cannot continue after its wait: call ${String(number)} of this turn was "${recorded}", ` +
        `and is "${asked}" now. It has changed since, or does not do the same each time.`,
    );
  }
}

/** Abort reason of a run whose task was parked: the run is not needed any more. Rethrow it. */
export class TurnParked extends DOMException {
  constructor() {
    super('The run has ended: its task waits', 'AbortError');
  }
}

/** Record of a turn: read in order while its run repeats it, then appended to. */
export class Journal {
  private readonly calls: JournalCall[];
  private readonly results: JournalResult[];
  private savedCalls: number;
  private savedResults: number;

  constructor({ calls, results }: JournalTexts = { calls: [], results: [] }) {
    this.calls = calls.map((text) => JSON.parse(text) as JournalCall);
    this.results = results.map((text) => JSON.parse(text) as JournalResult);
    this.savedCalls = calls.length;
    this.savedResults = results.length;
  }

  /** Whether it has become too long to be kept. */
  get isTooLong(): boolean {
    return this.calls.length > MAX_CALLS;
  }

  /** Numbers of calls and results that there are. */
  get lengths(): { readonly calls: number; readonly results: number } {
    return { calls: this.calls.length, results: this.results.length };
  }

  /** All of it. */
  get texts(): JournalTexts {
    return { calls: this.calls.map(textOf), results: this.results.map(textOf) };
  }

  call(number: number): JournalCall | undefined {
    return this.calls[number];
  }

  result(number: number): JournalResult | undefined {
    return this.results[number];
  }

  addCall(call: JournalCall): void {
    // A call too many is counted, so that the journal is known to be too long.
    if (this.calls.length <= MAX_CALLS) this.calls.push(call);
  }

  addResult(result: JournalResult): void {
    if (this.results.length <= MAX_CALLS) this.results.push(result);
  }

  /** The entries that were not saved yet, and a function that says that they were. */
  unsaved(): { readonly entries: NewEntries; readonly saved: () => void } {
    const [calls, results] = [this.calls.length, this.results.length];
    return {
      entries: {
        calls: { first: this.savedCalls + 1, texts: this.calls.slice(this.savedCalls).map(textOf) },
        results: { first: this.savedResults + 1, texts: this.results.slice(this.savedResults).map(textOf) },
      },
      saved: () => {
        this.savedCalls = Math.max(this.savedCalls, calls);
        this.savedResults = Math.max(this.savedResults, results);
      },
    };
  }
}

function textOf(entry: JournalCall | JournalResult): string {
  return JSON.stringify(entry);
}

/** An error in the journal. */
export function described(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

/** An error that a skill has gone on after. */
export function restored({ name, message }: { readonly name: string; readonly message: string }): Error {
  if (name === 'SkillFailure') return new SkillFailure(message);
  const error = new Error(message);
  error.name = name;
  return error;
}
